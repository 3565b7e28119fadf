package io.headgate.agent.runtime.pod;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.kubernetes.PodRequest;
import io.headgate.agent.kubernetes.PodState;
import io.headgate.agent.process.SupervisorStatus;
import io.headgate.agent.runtime.ledger.Failpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The pod of an attempt, as the API server and the pod itself show it.
record AttemptPod(PodRuntime.Parts parts, AttemptKey key, String name) {
  /// A variable in the environment of its supervisor only.
  static final String MARK = "HEADGATE_POD";

  static AttemptPod of(PodRuntime.Parts parts, AttemptKey key) {
    return new AttemptPod(parts, key, PodRequest.nameOf(key, parts.settings().agent()));
  }

  /// Environment entries that identify its supervisor among the machine's processes. The job cannot
  /// change them, and the kernel ends the pod's processes with the supervisor.
  List<String> marks() {
    return List.of(MARK + "=" + name);
  }

  /// Its state; empty: there is no pod.
  Optional<PodState> find() throws IOException {
    return parts.api().find(name).filter(pod -> pod.attempt().equals(key.directoryName()));
  }

  void delete(Duration grace) throws IOException {
    parts.api().delete(name, grace);
    Failpoint.AFTER_POD_DELETE.reach();
  }

  /// Its identity; empty: no pod is known to have been made.
  Optional<String> uid() throws IOException {
    return parts.ledger().pod(key);
  }

  /// Whether its job may have begun. Reads no lock, because a look at the supervisor's lock takes
  /// it for a moment.
  boolean hasStarted() {
    return SupervisorStatus.isThere(parts.ledger().supervised(key));
  }

  /// Whether its supervisor has begun to stop it.
  boolean isStopping() {
    try {
      return SupervisorStatus.read(parts.ledger().supervised(key))
          .flatMap(status -> status.observation().stop())
          .isPresent();
    } catch (IOException _) {
      return false;
    }
  }
}

package io.headgate.agent.runtime.pod;

import io.headgate.agent.container.SliceDevices;
import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.kubernetes.PodApi;
import io.headgate.agent.kubernetes.PodSettings;
import io.headgate.agent.kubernetes.PodState;
import io.headgate.agent.process.JobProcesses;
import io.headgate.agent.process.MarkedProcesses;
import io.headgate.agent.process.SupervisorSpec;
import io.headgate.agent.runtime.attempt.CheckpointRoots;
import io.headgate.agent.runtime.attempt.JobLimits;
import io.headgate.agent.runtime.attempt.Workload;
import io.headgate.agent.runtime.attempt.WorkloadRuntime;
import io.headgate.agent.runtime.ledger.AttemptLedger;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A node of a Kubernetes cluster: attempts are pods that are bound to it, each with its supervisor
/// as its first process. The attempt's directory shows what happens in a pod. The API server is
/// asked only why a pod does not start, why it is gone, and whether it is gone.
public final class PodRuntime implements WorkloadRuntime {
  private static final Logger LOG = LoggerFactory.getLogger(PodRuntime.class);
  private static final Duration SWEEP_AGAIN = Duration.ofSeconds(5);

  private final Parts parts;
  private final Map<AttemptKey, ProcessHandle> supervisors = new ConcurrentHashMap<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  /// The collaborators of a pod runtime.
  ///
  /// @param program the supervisor's
  /// @param checkpoints roots of the jobs' checkpoint directories
  /// @param limits of a job that requests none
  public record Parts(
      AttemptLedger ledger,
      GpuDriver driver,
      PodApi api,
      PodSettings settings,
      SliceDevices devices,
      Path program,
      CheckpointRoots checkpoints,
      SupervisorSpec.Logs logs,
      JobLimits limits,
      TimeSource time) {}

  public PodRuntime(Parts parts) {
    this.parts = parts;
    LOG.info(
        "jobs run as pods of the namespace {} on the node {}, by {}",
        parts.settings().namespace(),
        parts.settings().node(),
        parts.settings().server());
  }

  @Override
  public Workload of(Assignment assignment) {
    return new PodWorkload(parts, assignment);
  }

  @Override
  public JobProcesses processes() {
    return JobProcesses.ofContainers(this::supervisor);
  }

  /// Its number in the pod is another one. It is the oldest process that has the pod's mark and is
  /// the attempt's user: other jobs are others, and its own comes after it.
  private Optional<Long> supervisor(AttemptKey key) throws IOException {
    ProcessHandle known = supervisors.get(key);
    if (known == null || !known.isAlive()) {
      int user = parts.ledger().user(key).orElse(-1);
      Optional<ProcessHandle> found =
          MarkedProcesses.find(AttemptPod.of(parts, key).marks()).stream()
              .filter(process -> MarkedProcesses.isUser(process.pid(), user))
              .min(
                  Comparator.comparing((ProcessHandle process) ->
                      process.info().startInstant().orElse(Instant.MAX)));
      supervisors.keySet().removeIf(other -> !isLive(other.directoryName()));
      found.ifPresent(process -> supervisors.put(key, process));
      return found.map(ProcessHandle::pid);
    }
    return Optional.of(known.pid());
  }

  @Override
  public CheckpointRoots checkpoints() {
    return parts.checkpoints();
  }

  @Override
  public boolean runsImages() {
    return true;
  }

  @Override
  public void recover(Collection<AttemptKey> live) throws IOException {
    parts.devices().retain(live);
    // Not waited for: what runs is taken up again also while there is no API server.
    Thread.ofVirtual().name("orphaned pods").start(this::sweep);
  }

  /// Has the pods removed that no attempt explains: their records are older than the pods.
  private void sweep() {
    try {
      do {
        try {
          for (PodState pod : parts.api().list()) {
            if (!isLive(pod.attempt()) && !pod.isLeaving()) {
              LOG.info("removing the pod {}, which an earlier agent left", pod.name());
              parts.api().delete(pod.name(), PodWorkload.END_PATIENCE);
            }
          }
          return;
        } catch (IOException | RuntimeException e) {
          LOG.warn("the pods of earlier agents cannot be listed yet: {}", e.getMessage());
        }
      } while (!closed.await(SWEEP_AGAIN.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isLive(String attempt) {
    return !attempt.isEmpty()
        && Files.exists(parts.ledger().attempts().resolve(attempt).resolve("assignment"));
  }

  @Override
  public void close() {
    closed.countDown();
    parts.api().close();
  }
}

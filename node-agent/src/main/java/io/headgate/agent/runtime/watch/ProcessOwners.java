package io.headgate.agent.runtime.watch;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.process.JobProcesses;
import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Maps the processes on one device to their attempts, look after look. The kernel's answers are
/// cached, because asking costs more than the rest of a look: a process never leaves the attempt
/// that started it. Unowned processes are asked about again after some looks.
///
/// A process is known by its number for as long as each look finds it. Looks follow each other so
/// fast that no machine reuses a number for another process on the device in between.
///
/// Confined to one look at a time.
final class ProcessOwners {
  private static final int LOOKS = 8;
  private static final Duration SOON = Duration.ofSeconds(5);

  private final JobProcesses processes;
  private final TimeSource time;
  private final Map<Long, Optional<AttemptKey>> known = new HashMap<>();
  private Set<AttemptKey> asked = Set.of();
  private int left;
  private long lastNanos;

  ProcessOwners(JobProcesses processes, TimeSource time) {
    this.processes = processes;
    this.time = time;
  }

  /// The attempt of each process; those of none of the candidates are left out.
  Map<Long, AttemptKey> of(Collection<Long> pids, Set<AttemptKey> candidates) {
    long now = time.monotonicNanos();
    if (!candidates.equals(asked) || now - lastNanos > SOON.toNanos()) {
      forget();
      asked = candidates;
    }
    lastNanos = now;
    if (left == 0) {
      known.values().removeIf(Optional::isEmpty);
      left = LOOKS;
    }
    left--;
    known.keySet().retainAll(pids);
    List<Long> unknown = pids.stream().filter(pid -> !known.containsKey(pid)).toList();
    if (!unknown.isEmpty()) {
      Map<Long, AttemptKey> found = processes.attemptsOf(unknown, candidates);
      unknown.forEach(pid -> known.put(pid, Optional.ofNullable(found.get(pid))));
    }
    Map<Long, AttemptKey> owners = new HashMap<>();
    known.forEach((pid, owner) -> owner.ifPresent(key -> owners.put(pid, key)));
    return owners;
  }

  /// Has the kernel asked again.
  void forget() {
    known.clear();
    left = 0;
  }
}

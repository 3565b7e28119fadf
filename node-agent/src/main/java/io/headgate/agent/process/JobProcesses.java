package io.headgate.agent.process;

import io.headgate.agent.core.AttemptKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Tells which attempt a process of this machine belongs to: by its cgroup, or where there is none
/// of ours by descent from the attempt's supervisor, which nothing that a job starts escapes.
public final class JobProcesses {
  private static final Path PROC = Path.of("/proc");
  private static final int MAX_ANCESTORS = 1000;
  private static final int MAX_STARTS = 100;

  /// Fields of `stat`: the times of the process by itself and in the kernel, then those of its
  /// ended children.
  private static final int USER_TICKS = 11;

  private static final int TIMES = 4;
  private static final long NANOS_PER_TICK = 10_000_000;

  private final Cgroups cgroups;
  private final Supervisors supervisors;
  private final Path proc;

  /// Finds the supervisor of an attempt, as its pid on this machine.
  @FunctionalInterface
  public interface Supervisors {
    /// Empty: no supervisor is found.
    Optional<Long> of(AttemptKey key) throws IOException;
  }

  /// @param proc where the kernel shows its processes
  JobProcesses(Cgroups cgroups, Supervisors supervisors, Path proc) {
    this.cgroups = cgroups;
    this.supervisors = supervisors;
    this.proc = proc;
  }

  /// The processes of attempts that run directly on this machine.
  ///
  /// @param attempts where the directories of the attempts are
  public static JobProcesses ofMachine(Cgroups cgroups, Path attempts) {
    return new JobProcesses(
        cgroups,
        key ->
            SupervisorStatus.read(attempts.resolve(key.directoryName()))
                .map(SupervisorStatus::supervisorPid),
        PROC);
  }

  /// The processes of attempts in containers, where processes have other numbers.
  public static JobProcesses ofContainers(Supervisors supervisors) {
    return new JobProcesses(Cgroups.none(), supervisors, PROC);
  }

  /// The attempt of each process; those of none of the candidates are left out.
  public Map<Long, AttemptKey> attemptsOf(
      Collection<Long> pids, Collection<AttemptKey> candidates) {
    Map<Long, AttemptKey> found = new HashMap<>();
    Map<String, AttemptKey> groups = groups(candidates);
    Map<Long, AttemptKey> roots = new HashMap<>();
    for (long pid : pids) {
      try {
        Optional<AttemptKey> attempt = byCgroup(pid, groups);
        if (attempt.isEmpty()) {
          if (roots.isEmpty()) {
            candidates.forEach(key -> supervisor(key).ifPresent(by -> roots.put(by, key)));
          }
          attempt = byDescent(pid, roots);
        }
        attempt.ifPresent(key -> found.put(pid, key));
      } catch (IOException _) {
        // Not to be read now; the next look asks again.
      }
    }
    return found;
  }

  /// Whether a process still belongs to the attempt: it may have ended, and its pid may be reused.
  ///
  /// @throws IOException when this cannot be determined
  public boolean isOf(long pid, AttemptKey key) throws IOException {
    if (!Files.exists(directory(pid))) {
      return false;
    }
    if (byCgroup(pid, groups(List.of(key))).isPresent()) {
      return true;
    }
    Optional<Long> supervisor = supervisors.of(key);
    return supervisor.isPresent() && byDescent(pid, Map.of(supervisor.get(), key)).isPresent();
  }

  /// The candidates by the [#lastTwoNames] of their cgroups.
  private Map<String, AttemptKey> groups(Collection<AttemptKey> candidates) {
    Map<String, AttemptKey> groups = new HashMap<>();
    for (AttemptKey key : candidates) {
      cgroups.of(key.directoryName()).ifPresent(group -> groups.put(lastTwoNames(group), key));
    }
    return groups;
  }

  /// The use of each attempt: by its cgroup, or by descent where the cgroup does not count.
  /// Attempts that are not found are left out.
  public Map<AttemptKey, JobUsage> usage(Collection<AttemptKey> attempts) {
    Map<AttemptKey, JobUsage> usage = new HashMap<>();
    Map<Long, AttemptKey> roots = new HashMap<>();
    for (AttemptKey key : attempts) {
      cgroups
          .of(key.directoryName())
          .flatMap(JobUsage::of)
          .ifPresentOrElse(
              counted -> usage.put(key, counted),
              () -> supervisor(key).ifPresent(by -> roots.put(by, key)));
    }
    if (!roots.isEmpty()) {
      for (long pid : ProcessHandle.allProcesses().map(ProcessHandle::pid).toList()) {
        try {
          Optional<AttemptKey> attempt = byDescent(pid, roots);
          if (attempt.isPresent()) {
            usage.merge(attempt.get(), usageOf(pid), JobUsage::plus);
          }
        } catch (IOException _) {
          // Not to be read now; the next sample asks again.
        }
      }
    }
    return usage;
  }

  /// Includes the use of the process's ended children.
  private JobUsage usageOf(long pid) throws IOException {
    String[] stat = stat(pid);
    long ticks = 0;
    for (int field = USER_TICKS; field < USER_TICKS + TIMES && field < stat.length; field++) {
      ticks += Long.parseLong(stat[field]);
    }
    // "VmRSS:      1234 kB", which a process that has just ended has not.
    long kib =
        read(pid, "status")
            .lines()
            .filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
            .sum();
    return new JobUsage(ticks * NANOS_PER_TICK, kib << 10, 0);
  }

  private Optional<AttemptKey> byCgroup(long pid, Map<String, AttemptKey> groups)
      throws IOException {
    if (groups.isEmpty()) {
      return Optional.empty();
    }
    // "0::/system.slice/agent.service/headgate-n1/acme.job.1.0": the v2 hierarchy has number 0.
    String own =
        read(pid, "cgroup")
            .lines()
            .filter(line -> line.startsWith("0::/"))
            .findFirst()
            .map(line -> line.substring("0::/".length()))
            .orElse("");
    String above = "";
    for (String name : own.split("/", -1)) {
      @Nullable AttemptKey key = groups.get(above + "/" + name);
      if (key != null) {
        return Optional.of(key);
      }
      above = name;
    }
    return Optional.empty();
  }

  /// The names of the agent's directory and of the attempt's, wherever they are mounted.
  private static String lastTwoNames(Path cgroup) {
    int names = cgroup.getNameCount();
    return cgroup.subpath(Math.max(0, names - 2), names).toString();
  }

  private Optional<Long> supervisor(AttemptKey key) {
    try {
      return supervisors.of(key);
    } catch (IOException _) {
      // Not to be read now; the next sample asks again.
      return Optional.empty();
    }
  }

  private Optional<AttemptKey> byDescent(long pid, Map<Long, AttemptKey> roots) throws IOException {
    for (int starts = 0; starts < MAX_STARTS; starts++) {
      OptionalLong current = OptionalLong.of(pid);
      for (int ancestors = 0; current.isPresent(); ancestors++) {
        @Nullable AttemptKey key = roots.get(current.getAsLong());
        if (key != null || current.getAsLong() <= 1) {
          return Optional.ofNullable(key);
        }
        if (ancestors > MAX_ANCESTORS) {
          throw new IOException(
              "process %d has more than %d ancestors".formatted(pid, MAX_ANCESTORS));
        }
        current = parent(current.getAsLong());
      }
      if (!Files.exists(directory(pid))) {
        return Optional.empty();
      }
      // An ancestor ended meanwhile, and its children have another parent by now: start again.
    }
    throw new IOException("the parent of process " + pid + " keeps changing");
  }

  /// Empty: the process is gone.
  private OptionalLong parent(long pid) throws IOException {
    String[] stat = stat(pid);
    return stat.length < 2 ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(stat[1]));
  }

  /// From its state on, which is number 0 then.
  private String[] stat(long pid) throws IOException {
    String stat = read(pid, "stat");
    // "4711 (name of it) S 42 …": the name may hold anything, also parentheses.
    return stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
  }

  /// Empty: the process is gone.
  private String read(long pid, String file) throws IOException {
    try {
      return Files.readString(directory(pid).resolve(file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      if (Files.exists(directory(pid))) {
        throw e;
      }
      return "";
    }
  }

  private Path directory(long pid) {
    return proc.resolve(Long.toString(pid));
  }
}

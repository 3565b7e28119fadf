package io.headgate.agent.runtime.attempt;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.GpuProcess;
import io.headgate.agent.process.CudaCheckpoint;
import io.headgate.agent.process.JobUsage;
import io.headgate.agent.runtime.ledger.Failpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Suspends an attempt: moves its GPU memory to main memory and freezes its processes; or resumes
/// it. The processes are recorded before. [#resume] undoes a suspension that a crash left half
/// done, and may be repeated.
final class Suspension {
  private static final Logger LOG = LoggerFactory.getLogger(Suspension.class);

  /// Memory that a driver may hold on a device without programs.
  private static final long UNLISTED_BYTES = 1L << 30;

  private static final Duration GLANCE = Duration.ofMillis(20);

  /// It is not done at all here.
  static final class ImpossibleException extends IOException {
    private static final long serialVersionUID = 1;

    ImpossibleException(String message) {
      super(message);
    }
  }

  private final AttemptContext context;
  private final Assignment assignment;
  private final Workload workload;
  private final Workload.StartConditions conditions;

  Suspension(
      AttemptContext context,
      Assignment assignment,
      Workload workload,
      Workload.StartConditions conditions) {
    this.context = context;
    this.assignment = assignment;
    this.workload = workload;
    this.conditions = conditions;
  }

  /// Suspends it; afterwards nothing of it uses a device.
  ///
  /// @throws ImpossibleException when that is not done here; nothing was done
  /// @throws IOException when it failed; its steps are undone as far as possible
  void suspend() throws IOException, InterruptedException {
    CudaCheckpoint program =
        program().orElseThrow(() -> new ImpossibleException("this machine does not suspend jobs"));
    Path freezer =
        workload
            .freezer()
            .orElseThrow(() ->
                new ImpossibleException(
                    "without cgroup v2 the processes of the job cannot be frozen"));
    long deadline = deadline(program);
    Map<Long, Long> using = known(deadline);
    if (!own(using.keySet()).containsAll(using.keySet())) {
      throw new ImpossibleException(
          "a process that is not known to be of the job uses its devices");
    }
    long bytes = takeRoom(using.values());
    List<Long> pids = List.copyOf(using.keySet());
    try {
      try {
        context.ledger().suspensions().recordSuspending(key(), pids);
        for (long pid : pids) {
          if (isOwn(pid)) {
            program.lock(pid, left(deadline));
          }
        }
        for (long pid : pids) {
          if (isOwn(pid)) {
            program.checkpoint(pid, left(deadline));
          }
        }
      } finally {
        context.memory().giveBack(bytes);
      }
      Failpoint.AFTER_CHECKPOINT.reach();
      freeze(freezer, true, deadline);
      Failpoint.AFTER_FREEZE.reach();
      // Programs that began to use a device meanwhile, and drivers that lag behind.
      while (!listed(deadline).isEmpty()) {
        glance(deadline);
      }
    } catch (IOException | RuntimeException e) {
      undo(e);
      throw e;
    }
  }

  private void undo(Exception cause) throws InterruptedException {
    try {
      resume();
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} could not get its devices back: {}", key(), e.getMessage());
      cause.addSuppressed(e);
    }
  }

  /// Resumes it with its devices, as far as it was suspended.
  void resume() throws IOException, InterruptedException {
    Optional<List<Long>> pids = context.ledger().suspensions().suspending(key());
    Optional<CudaCheckpoint> program = program();
    if (pids.isEmpty()) {
      return;
    }
    if (program.isEmpty()) {
      throw new IOException(
          "the program that suspended it is no longer configured on this machine");
    }
    long deadline = deadline(program.get());
    endSteps(program.get(), pids.get(), deadline);
    if (workload.freezer().isPresent()) {
      freeze(workload.freezer().get(), false, deadline);
    }
    IOException failure = null;
    for (long pid : pids.get()) {
      try {
        goOn(program.get(), pid, deadline);
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
    Failpoint.AFTER_RESTORE.reach();
    requireAttached();
    context.ledger().suspensions().recordGoingOn(key());
  }

  /// Ends the steps that an agent began whose end they outlived: they would be taken after all.
  private void endSteps(CudaCheckpoint program, List<Long> pids, long deadline) throws IOException {
    List<ProcessHandle> steps = program.at(pids);
    while (!steps.isEmpty()) {
      steps.forEach(ProcessHandle::destroyForcibly);
      glance(deadline);
      steps = program.at(pids);
    }
  }

  /// Asks again after each step: the driver may still be at one whose program was ended.
  private void goOn(CudaCheckpoint program, long pid, long deadline)
      throws IOException, InterruptedException {
    while (isOwn(pid)) {
      switch (program.state(pid, left(deadline))) {
        case FAILED -> throw new IOException("the driver gave process " + pid + " up");
        case CHECKPOINTED -> program.restore(pid, left(deadline));
        case LOCKED -> program.unlock(pid, left(deadline));
        case RUNNING -> {
          return;
        }
      }
    }
  }

  private Optional<CudaCheckpoint> program() throws IOException {
    return context.driver().checkpoint(context.ledger().slices(key()));
  }

  /// The processes that belong to the attempt.
  private Set<Long> own(Collection<Long> pids) {
    return context.runtime().processes().attemptsOf(pids, List.of(key())).keySet();
  }

  private boolean isOwn(long pid) throws IOException {
    return context.runtime().processes().isOf(pid, key());
  }

  /// Like [#listed], before the first step.
  ///
  /// @throws ImpossibleException where the driver cannot prove that all processes have left the
  ///   devices
  private Map<Long, Long> known(long deadline) throws IOException, InterruptedException {
    Map<Long, Long> using;
    try {
      using = listed(deadline);
    } catch (IOException e) {
      throw new ImpossibleException(String.valueOf(e.getMessage()));
    }
    for (SliceGrant slice : assignment.slices()) {
      OptionalLong used = context.driver().read(slice.deviceUuid()).figures().memoryUsed();
      if (using.isEmpty() && used.orElse(0) > UNLISTED_BYTES) {
        throw new ImpossibleException(
            slice.deviceUuid() + " is in use, and its driver does not show by which processes");
      }
    }
    return using;
  }

  /// Bytes by process on the attempt's devices, which no other attempt has slices of.
  private Map<Long, Long> listed(long deadline) throws IOException, InterruptedException {
    Map<Long, Long> bytes = new TreeMap<>();
    for (SliceGrant slice : assignment.slices()) {
      for (GpuProcess process : processes(slice.deviceUuid(), deadline)) {
        bytes.merge(process.pid(), process.bytes(), Long::sum);
      }
    }
    return bytes;
  }

  private List<GpuProcess> processes(String device, long deadline)
      throws IOException, InterruptedException {
    try {
      return context
          .driver()
          .processes(device)
          .get(left(deadline).toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      throw new IOException(device + " does not show which processes use it");
    } catch (ExecutionException e) {
      throw new IOException("who uses " + device + " is not known: " + e.getCause(), e);
    }
  }

  /// Memory that moves to main memory counts as the job's: else the kernel would kill the job or
  /// its neighbours.
  ///
  /// @return reserved bytes, to give back once they are in use
  private long takeRoom(Collection<Long> devices) throws IOException {
    long needed = devices.stream().mapToLong(Long::longValue).sum();
    if (assignment.memoryBytes() == 0) {
      throw new ImpossibleException(
          "its profile has no main memory in which its device memory could be kept");
    }
    long used =
        context
            .runtime()
            .processes()
            .usage(List.of(key()))
            .getOrDefault(key(), JobUsage.NONE)
            .memoryBytes();
    requireRoom(needed, assignment.memoryBytes() - used);
    requireRoom(needed, context.memory().take(needed));
    return needed;
  }

  private static void requireRoom(long needed, long free) throws ImpossibleException {
    if (needed > free) {
      throw new ImpossibleException(
          "its %d MiB of device memory do not fit into the %d MiB of main memory that it has left"
              .formatted(needed >> 20, Math.max(0, free) >> 20));
    }
  }

  private void freeze(Path cgroup, boolean still, long deadline) throws IOException {
    String wanted = still ? "1" : "0";
    var _ = left(deadline);
    Files.writeString(cgroup.resolve("cgroup.freeze"), wanted, StandardOpenOption.WRITE);
    while (!Files.readAllLines(cgroup.resolve("cgroup.events")).contains("frozen " + wanted)) {
      glance(deadline);
    }
  }

  private void glance(long deadline) throws IOException {
    Duration left = left(deadline);
    conditions.pause(GLANCE.compareTo(left) < 0 ? GLANCE : left);
  }

  private long deadline(CudaCheckpoint program) {
    return context.time().monotonicNanos() + program.timeout().toNanos();
  }

  private Duration left(long deadline) throws IOException {
    Duration left = Duration.ofNanos(deadline - context.time().monotonicNanos());
    if (left.isNegative() || left.isZero()) {
      throw new IOException("it took too long");
    }
    requireAttached();
    return left;
  }

  /// The steps of a successor agent must not be undone.
  private void requireAttached() throws IOException {
    if (conditions.isDetached()) {
      throw new IOException("the agent ends");
    }
  }

  private AttemptKey key() {
    return assignment.key();
  }
}

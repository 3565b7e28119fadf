package io.headgate.agent.core;

import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The environment of a job: a clean base, then the user's, then what only Headgate says.
///
/// Nothing of the agent's own environment reaches a job.
public final class JobEnvironment {
  /// Name of the file in a job's home that is its abort callback if it has no other.
  public static final String ON_ABORT = ".headgate-on-abort";

  /// Name of the file in a job's home that says how far it is.
  public static final String PROGRESS = ".headgate-progress";

  /// Name of the file in a job's home that it writes when it has saved its work.
  public static final String CHECKPOINTED = ".headgate-checkpointed";

  /// Names of variables, separated by commas, whose values are masked in the job's output.
  public static final String MASKED = "HEADGATE_MASKED";

  /// Variables that carry a trace context.
  private static final List<String> TRACE = List.of("TRACEPARENT", "TRACESTATE", "BAGGAGE");

  private static final String UID = "HEADGATE_JOB_UID";

  private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  private JobEnvironment() {}

  /// Directories of a job.
  ///
  /// @param homeDirectory private to the attempt
  /// @param temporaryDirectory private to the attempt
  /// @param checkpointDirectory the job's, the same for every attempt with the same storage
  /// @param hasCheckpoints whether something is in it before the attempt starts
  /// @param inherited variables below the job's own environment
  public record Places(
      String homeDirectory,
      String temporaryDirectory,
      String checkpointDirectory,
      boolean hasCheckpoints,
      Map<String, String> inherited) {}

  /// The GPUs of a job.
  ///
  /// @param device the driver's variables for the slices (`CUDA_VISIBLE_DEVICES` and the like)
  /// @param memoryLimitBytes device memory of the smallest slice; 0: no slice
  /// @param simulated the devices do not exist
  public record Gpus(Map<String, String> device, long memoryLimitBytes, boolean simulated) {}

  /// Defaults that programs expect, overridden by the image.
  public static SortedMap<String, String> imageVariables(Map<String, String> image) {
    SortedMap<String, String> environment = new TreeMap<>();
    environment.put("PATH", PATH);
    environment.put("LANG", "C.UTF-8");
    environment.putAll(image);
    return environment;
  }

  /// The whole environment.
  ///
  /// @param traceparent W3C trace context that the job continues; may be empty
  public static SortedMap<String, String> of(
      Assignment assignment, Places places, Gpus gpus, String traceparent) {
    SortedMap<String, String> environment = new TreeMap<>(places.inherited());
    // HEADGATE_ variables come from Headgate only, never from an image.
    environment.keySet().removeIf(name -> name.startsWith("HEADGATE_"));
    environment.keySet().removeAll(TRACE);
    environment.put("HOME", places.homeDirectory());
    // A user of its own has no entry in the system's list, where programs look otherwise.
    environment.put("USER", "headgate");
    environment.put("LOGNAME", "headgate");
    environment.put("TMPDIR", places.temporaryDirectory());
    environment.putAll(assignment.environment());
    environment.keySet().removeAll(traceparent.isEmpty() ? List.of() : TRACE);
    environment.putAll(gpus.device());
    AttemptKey key = assignment.key();
    environment.put("HEADGATE_JOB", key.job().toString());
    environment.remove(UID);
    if (!key.uid().isEmpty()) {
      environment.put(UID, key.uid());
    }
    environment.put("HEADGATE_ATTEMPT", Integer.toString(key.attempt()));
    environment.put("HEADGATE_QUEUE", assignment.queue());
    environment.put("HEADGATE_CHECKPOINT_DIR", places.checkpointDirectory());
    environment.put("HEADGATE_ON_ABORT", places.homeDirectory() + "/" + ON_ABORT);
    if (key.worker() == 0) {
      // It speaks for its gang.
      environment.put("HEADGATE_PROGRESS", places.homeDirectory() + "/" + PROGRESS);
      environment.put("HEADGATE_CHECKPOINTED", places.homeDirectory() + "/" + CHECKPOINTED);
    }
    environment.put("HEADGATE_WORKER", Integer.toString(key.worker()));
    environment.put("HEADGATE_WORKERS", Integer.toString(assignment.workers()));
    environment.put("HEADGATE_GPUS", total(assignment).toString());
    if (gpus.memoryLimitBytes() > 0) {
      environment.put("HEADGATE_GPU_MEMORY_LIMIT_BYTES", Long.toString(gpus.memoryLimitBytes()));
    }
    if (gpus.simulated()) {
      environment.put("HEADGATE_SIMULATED", "1");
    }
    if (resumes(assignment, places)) {
      environment.put("HEADGATE_RESUME", "1");
    }
    if (!traceparent.isEmpty()) {
      environment.put("TRACEPARENT", traceparent);
      // Other users of the machine may see it, so it names no tenant.
      environment.put(
          "BAGGAGE",
          "headgate.job=%s,headgate.attempt=%d".formatted(key.job().id(), key.attempt()));
    }
    return environment;
  }

  /// The sentence at the beginning of a job's error output when an earlier attempt ran and left
  /// nothing here to resume from; empty: there is none.
  public static Optional<String> beginsAnew(Assignment assignment, Places places) {
    return isLaterAttempt(assignment) && !resumes(assignment, places)
        ? Optional.of(
            "attempt %d begins anew: %s on this node has no checkpoint of an earlier attempt"
                .formatted(assignment.key().attempt(), places.checkpointDirectory()))
        : Optional.empty();
  }

  /// A worker of a gang sees only what its own node has, and all of them have to agree. So a later
  /// attempt of a gang always resumes.
  private static boolean resumes(Assignment assignment, Places places) {
    return isLaterAttempt(assignment) && (places.hasCheckpoints() || assignment.workers() > 1);
  }

  private static boolean isLaterAttempt(Assignment assignment) {
    return assignment.resume() || assignment.key().attempt() > 1;
  }

  /// Whether a process with these entries belongs to the attempt, and not to another job of the
  /// same name. Entries without a uid come from an older agent and match by name.
  public static boolean isOf(AttemptKey key, List<String> entries) {
    String uid = UID + "=";
    return entries.containsAll(
            List.of(
                "HEADGATE_JOB=" + key.job(),
                "HEADGATE_ATTEMPT=" + key.attempt(),
                "HEADGATE_WORKER=" + key.worker()))
        && (key.uid().isEmpty()
            || entries.contains(uid + key.uid())
            || entries.stream().noneMatch(entry -> entry.startsWith(uid)));
  }

  private static GpuQuantity total(Assignment assignment) {
    GpuQuantity sum = GpuQuantity.ZERO;
    for (SliceGrant slice : assignment.slices()) {
      sum = sum.plus(slice.gpus());
    }
    return sum;
  }
}

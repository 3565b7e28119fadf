package io.headgate.agent.core;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/// Values for tests of the core and of its stores.
public final class Fixtures {
  public static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  public static final Leadership LEADER = new Leadership("i1", 5, "a");
  static final long GIB = 1L << 30;

  private Fixtures() {}

  public static AttemptKey key(String job) {
    return new AttemptKey(new JobName("acme", job), "", 1, 0);
  }

  /// The key of a job that shares its name with earlier or later jobs.
  public static AttemptKey key(String job, String uid) {
    return new AttemptKey(new JobName("acme", job), uid, 1, 0);
  }

  static DeviceInfo device(int index) {
    return new DeviceInfo(
        index,
        "SIM-" + index,
        "H100",
        80 * GIB,
        DeviceInfo.Geometry.CONTINUOUS,
        IsolationLevel.NONE);
  }

  public static SliceGrant slice(int device, String gpus) {
    return new SliceGrant(device, "SIM-" + device, GpuQuantity.parse(gpus), 0);
  }

  public static Assignment assignment(String job, SliceGrant... slices) {
    return assignment(key(job), slices);
  }

  public static Assignment assignment(AttemptKey key, SliceGrant... slices) {
    return new Assignment(
        key,
        1,
        "half",
        List.of(slices),
        500,
        GIB,
        List.of("python3", "train.py", "with space & = \n line\u00e9"),
        new TreeMap<>(Map.of("EPOCHS", "3", "ODD", "a=b\nc&d %41")),
        Optional.of("/srv/work"),
        Optional.of(Duration.ofHours(4)),
        new AbortCallback(List.of("bash", "-c", "save"), Duration.ofSeconds(180)),
        Duration.ofSeconds(10),
        Optional.of(Duration.ofMinutes(40)),
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        true,
        IsolationLevel.NONE,
        "ada",
        Optional.of(new Container("registry.example/train:1", Container.PullPolicy.ALWAYS)),
        Optional.of("shared"),
        false);
  }

  static Observation running() {
    return new Observation(NOW, Optional.empty(), Optional.empty());
  }

  static Observation exited(int code) {
    return new Observation(
        NOW, Optional.empty(), Optional.of(ending("exited", OptionalInt.of(code))));
  }

  static Observation ended(String reason, int code) {
    return new Observation(
        NOW, Optional.empty(), Optional.of(ending(reason, OptionalInt.of(code))));
  }

  /// In its grace time, after a good callback.
  static Observation terminating() {
    return new Observation(NOW, Optional.of(terminated()), Optional.empty());
  }

  /// Ended in its grace time, after a good callback.
  static Observation preempted() {
    return new Observation(
        NOW, Optional.of(terminated()), Optional.of(ending("preempted", OptionalInt.of(143))));
  }

  private static Observation.StopProgress terminated() {
    return new Observation.StopProgress(
        "preempted",
        Optional.of(
            new Observation.CallbackRun(
                NOW.plusSeconds(10),
                Optional.of(Duration.ofSeconds(2)),
                Optional.empty(),
                OptionalInt.of(0))),
        Optional.of(NOW.plusSeconds(12)),
        Optional.empty());
  }

  private static Observation.Ending ending(String reason, OptionalInt code) {
    return new Observation.Ending(NOW.plusSeconds(13), reason, code, Optional.empty());
  }

  /// A report with every field set.
  public static AttemptReport endedReport(String job) {
    return new AttemptReport(
        key(job),
        AttemptState.ENDED,
        Optional.of(NOW),
        Optional.of(
            StopStep.over(StopStep.Phase.CLEANUP, StopStep.Result.OK, Duration.ofMillis(7))),
        Optional.of(
            new AttemptReport.End(
                EndReason.STOPPED,
                OptionalInt.of(143),
                Optional.of("why & how = 100 %\nno"),
                NOW.plusSeconds(13))),
        0,
        Optional.of(new WorkerAddress("10.0.0.1", 29500)));
  }

  /// A report of one that runs.
  public static AttemptReport runningReport(String job) {
    return new AttemptReport(
        key(job),
        AttemptState.RUNNING,
        Optional.of(NOW),
        Optional.empty(),
        Optional.empty(),
        0,
        Optional.empty());
  }
}

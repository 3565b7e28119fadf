package io.headgate.agent.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.AttemptUse;
import io.headgate.agent.core.DeviceCondition;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.JobProgress;
import io.headgate.agent.core.Leadership;
import io.headgate.agent.core.SliceTable;
import io.headgate.agent.core.StopStep;
import io.headgate.agent.process.AttemptLogs;
import io.headgate.agent.runtime.Agent;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.LogChunk;
import io.headgate.proto.agent.v1.ProgressReport;
import io.headgate.proto.agent.v1.Update;
import io.headgate.proto.agent.v1.UseReport;
import io.headgate.proto.pool.v1.Device;
import io.headgate.proto.type.v1.DeviceGeometry;
import io.headgate.proto.type.v1.DeviceHealth;
import io.headgate.proto.type.v1.DeviceRemedy;
import io.headgate.proto.type.v1.SliceProfile;
import io.headgate.type.ImagePattern;
import io.headgate.type.ImageRules;
import java.time.Instant;
import java.util.List;

/// Translates the agent's reports to messages of the contract.
final class ToWire {
  private static final int MAX_ERROR = 2000;

  private ToWire() {}

  static Update update(Agent.Update update) {
    return Update.newBuilder()
        .setSequence(update.sequence())
        .setReport(report(update.report()))
        .build();
  }

  static io.headgate.proto.agent.v1.AttemptReport report(AttemptReport report) {
    var wire =
        io.headgate.proto.agent.v1.AttemptReport.newBuilder()
            .setJob(report.key().job().toString())
            .setUid(report.key().uid())
            .setAttempt(report.key().attempt())
            .setWorker(report.key().worker())
            .setState(state(report))
            .setSuspension(report.suspension());
    report.started().ifPresent(at -> wire.setStartTime(timestamp(at)));
    report
        .step()
        .ifPresent(step -> {
          wire.setStopPhase(word(step.phase()));
          step.result().ifPresent(result -> wire.setStopPhaseResult(word(result)));
          step.duration().ifPresent(took -> wire.setStopPhaseDuration(duration(took)));
        });
    report
        .address()
        .ifPresent(
            address -> wire.setWorkerAddress(address.host()).setMasterPort(address.masterPort()));
    report
        .end()
        .ifPresent(end -> {
          wire.setEndReason(reason(end.reason())).setEndTime(timestamp(end.at()));
          end.exitCode().ifPresent(wire::setExitCode);
          end.error().ifPresent(error -> wire.setError(cut(error, MAX_ERROR)));
        });
    return wire.build();
  }

  static UseReport use(AttemptUse use) {
    UseReport.Builder wire =
        UseReport.newBuilder()
            .setJob(use.key().job().toString())
            .setUid(use.key().uid())
            .setAttempt(use.key().attempt())
            .setWorker(use.key().worker())
            .setBusyMillis(use.busyMillis())
            .setMeasuredMillis(use.measuredMillis());
    use.utilization().ifPresent(wire::setUtilization);
    use.memoryBytes().ifPresent(wire::setMemoryBytes);
    return wire.build();
  }

  /// @param nowBootMs the boot clock
  static ProgressReport progress(JobProgress progress, long nowBootMs) {
    ProgressReport.Builder wire =
        ProgressReport.newBuilder()
            .setJob(progress.key().job().toString())
            .setUid(progress.key().uid())
            .setAttempt(progress.key().attempt())
            .setWorker(progress.key().worker())
            .setMessage(progress.message());
    progress.fraction().ifPresent(wire::setFraction);
    if (progress.checkpoint() != 0) {
      wire.setCheckpoint(progress.checkpoint())
          .setCheckpointAge(Durations.fromMillis(nowBootMs - progress.checkpointBootMs()));
    }
    return wire.build();
  }

  static io.headgate.proto.agent.v1.ImageRules imageRules(ImageRules rules) {
    return io.headgate.proto.agent.v1.ImageRules.newBuilder()
        .addAllAllowed(
            rules.allowed().orElse(List.of()).stream().map(ImagePattern::toString).toList())
        .setDigestRequired(rules.digestRequired())
        .build();
  }

  static io.headgate.proto.agent.v1.Leadership leadership(Leadership leadership) {
    return io.headgate.proto.agent.v1.Leadership.newBuilder()
        .setIncarnation(leadership.incarnation())
        .setEpoch(leadership.epoch())
        .setLeader(leadership.leader())
        .build();
  }

  static Device device(DeviceWatch.Seen seen) {
    DeviceInfo device = seen.device();
    Device.Builder wire =
        Device.newBuilder()
            .setIndex(device.index())
            .setUuid(device.uuid())
            .setGpuModel(device.model())
            .setMemoryBytes(device.memoryBytes())
            .setGeometry(
                switch (device.geometry()) {
                  case CONTINUOUS -> DeviceGeometry.DEVICE_GEOMETRY_CONTINUOUS;
                  case MIG -> DeviceGeometry.DEVICE_GEOMETRY_MIG;
                  case AMD_PARTITION -> DeviceGeometry.DEVICE_GEOMETRY_AMD_PARTITION;
                })
            .setIsolation(isolation(device.isolation()));
    device.slices().ifPresent(table -> wire.setSlices(slices(table)));
    return wire.setCondition(condition(seen.condition())).build();
  }

  private static io.headgate.proto.type.v1.DeviceCondition condition(DeviceCondition condition) {
    return io.headgate.proto.type.v1.DeviceCondition.newBuilder()
        .setHealth(
            switch (condition.health()) {
              case HEALTHY -> DeviceHealth.DEVICE_HEALTH_HEALTHY;
              case DEGRADED -> DeviceHealth.DEVICE_HEALTH_DEGRADED;
              case UNHEALTHY -> DeviceHealth.DEVICE_HEALTH_UNHEALTHY;
            })
        .setCause(condition.cause())
        .setRemedy(
            switch (condition.remedy()) {
              case NONE -> DeviceRemedy.DEVICE_REMEDY_UNSPECIFIED;
              case INSPECT -> DeviceRemedy.DEVICE_REMEDY_INSPECT;
              case RESET -> DeviceRemedy.DEVICE_REMEDY_RESET;
              case RESTART_MACHINE -> DeviceRemedy.DEVICE_REMEDY_RESTART_MACHINE;
              case REPLACE -> DeviceRemedy.DEVICE_REMEDY_REPLACE;
            })
        .build();
  }

  private static io.headgate.proto.type.v1.SliceTable slices(SliceTable table) {
    return io.headgate.proto.type.v1.SliceTable.newBuilder()
        .setMemorySlices(table.memorySlices())
        .setComputeSlices(table.computeSlices())
        .addAllProfiles(
            table.profiles().stream()
                .map(profile ->
                    SliceProfile.newBuilder()
                        .setName(profile.name())
                        .setMemorySlices(profile.memorySlices())
                        .setComputeSlices(profile.computeSlices())
                        .addAllStarts(profile.starts())
                        .build())
                .toList())
        .build();
  }

  static LogChunk chunk(String readId, AttemptLogs.Piece piece) {
    return LogChunk.newBuilder()
        .setReadId(readId)
        .setStream(
            switch (piece.stream()) {
              case STDOUT -> LogChunk.Stream.STREAM_STDOUT;
              case STDERR -> LogChunk.Stream.STREAM_STDERR;
            })
        .setData(ByteString.copyFrom(piece.bytes()))
        .setOffset(piece.offset())
        .setGap(piece.gap())
        .build();
  }

  static LogChunk lastChunk(String readId, String error) {
    return LogChunk.newBuilder().setReadId(readId).setLast(true).setError(cut(error, 500)).build();
  }

  static ConnectRequest message(LogChunk chunk) {
    return ConnectRequest.newBuilder().setLogChunk(chunk).build();
  }

  private static io.headgate.proto.agent.v1.AttemptReport.State state(AttemptReport report) {
    return switch (report.state()) {
      case STARTING -> io.headgate.proto.agent.v1.AttemptReport.State.STATE_STARTING;
      case RUNNING -> io.headgate.proto.agent.v1.AttemptReport.State.STATE_RUNNING;
      // Its slices are not free yet, and free is what the scheduler hears in "ended".
      case STOPPING, RELEASING -> io.headgate.proto.agent.v1.AttemptReport.State.STATE_STOPPING;
      case SUSPENDED -> io.headgate.proto.agent.v1.AttemptReport.State.STATE_SUSPENDED;
      case ENDED -> io.headgate.proto.agent.v1.AttemptReport.State.STATE_ENDED;
    };
  }

  private static io.headgate.proto.agent.v1.AttemptReport.EndReason reason(EndReason reason) {
    return switch (reason) {
      case EXITED -> io.headgate.proto.agent.v1.AttemptReport.EndReason.END_REASON_EXITED;
      case STOPPED -> io.headgate.proto.agent.v1.AttemptReport.EndReason.END_REASON_STOPPED;
      case TIME_LIMIT -> io.headgate.proto.agent.v1.AttemptReport.EndReason.END_REASON_TIME_LIMIT;
      case OUT_OF_CONTACT ->
          io.headgate.proto.agent.v1.AttemptReport.EndReason.END_REASON_OUT_OF_CONTACT;
      case START_FAILED ->
          io.headgate.proto.agent.v1.AttemptReport.EndReason.END_REASON_START_FAILED;
      case REJECTED -> io.headgate.proto.agent.v1.AttemptReport.EndReason.END_REASON_REJECTED;
      case LOST -> io.headgate.proto.agent.v1.AttemptReport.EndReason.END_REASON_LOST;
      case DEVICE_FAILED ->
          io.headgate.proto.agent.v1.AttemptReport.EndReason.END_REASON_DEVICE_FAILED;
      case LIMIT_EXCEEDED ->
          io.headgate.proto.agent.v1.AttemptReport.EndReason.END_REASON_LIMIT_EXCEEDED;
      case NODE_STOPPED ->
          io.headgate.proto.agent.v1.AttemptReport.EndReason.END_REASON_NODE_STOPPED;
    };
  }

  private static io.headgate.proto.type.v1.IsolationLevel isolation(IsolationLevel level) {
    return switch (level) {
      case NONE -> io.headgate.proto.type.v1.IsolationLevel.ISOLATION_LEVEL_UNSPECIFIED;
      case REACTIVE -> io.headgate.proto.type.v1.IsolationLevel.ISOLATION_LEVEL_REACTIVE;
      case DRIVER_PROCESS ->
          io.headgate.proto.type.v1.IsolationLevel.ISOLATION_LEVEL_DRIVER_PROCESS;
      case DRIVER_CONTAINER ->
          io.headgate.proto.type.v1.IsolationLevel.ISOLATION_LEVEL_DRIVER_CONTAINER;
      case HARDWARE -> io.headgate.proto.type.v1.IsolationLevel.ISOLATION_LEVEL_HARDWARE;
    };
  }

  private static String word(StopStep.Phase phase) {
    return switch (phase) {
      case SUSPEND -> "suspend";
      case CALLBACK -> "callback";
      case TERM -> "term";
      case KILL -> "kill";
      case CLEANUP -> "cleanup";
    };
  }

  private static String word(StopStep.Result result) {
    return switch (result) {
      case OK -> "ok";
      case FAILED -> "failed";
      case TIMED_OUT -> "timed-out";
      case SKIPPED -> "skipped";
    };
  }

  private static Timestamp timestamp(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }

  private static Duration duration(java.time.Duration duration) {
    return Duration.newBuilder()
        .setSeconds(duration.getSeconds())
        .setNanos(duration.getNano())
        .build();
  }

  private static String cut(String text, int length) {
    return text.length() <= length ? text : text.substring(0, length - 1) + "…";
  }
}

package io.headgate.scheduler.grpc;

import io.headgate.proto.agent.v1.Heartbeat;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.ProgressReport;
import io.headgate.scheduler.runtime.agent.UseReport;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.SliceUse;
import io.headgate.scheduler.runtime.record.WorkerName;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// The news of attempts in heartbeats: progress and use. Only the last of each counts.
final class AttemptNews {
  /// Progress is kept in parts of this.
  static final double PERMYRIAD = 10_000;

  private AttemptNews() {}

  /// Hands the news of a heartbeat to the leader.
  static void hand(Heartbeat heartbeat, AgentSession session, LeaderDoor door) {
    if (heartbeat.getProgressCount() > 0) {
      Refusals.demandTaken(
          door.progress(
              session, heartbeat.getProgressList().stream().map(AttemptNews::toProgress).toList()));
    }
    if (heartbeat.getUsesCount() > 0) {
      Refusals.demandTaken(
          door.used(session, heartbeat.getUsesList().stream().map(AttemptNews::toUse).toList()));
    }
  }

  static ProgressReport toProgress(io.headgate.proto.agent.v1.ProgressReport report) {
    return new ProgressReport(
        new WorkerName(
            Names.reported(report.getJob()),
            report.getUid(),
            report.getAttempt(),
            report.getWorker()),
        report.hasFraction()
            ? OptionalInt.of((int) Math.round(report.getFraction() * PERMYRIAD))
            : OptionalInt.empty(),
        report.getMessage(),
        report.getCheckpoint(),
        report.hasCheckpointAge()
            ? AgentMapper.credible(report.getCheckpointAge()).orElse(Duration.ZERO)
            : Duration.ZERO);
  }

  /// Busy time beyond the measured time is not believed.
  static UseReport toUse(io.headgate.proto.agent.v1.UseReport report) {
    return new UseReport(
        new WorkerName(
            Names.reported(report.getJob()),
            report.getUid(),
            report.getAttempt(),
            report.getWorker()),
        new SliceUse(
            Math.min(report.getBusyMillis(), report.getMeasuredMillis()),
            report.getMeasuredMillis(),
            new SliceUse.Present(
                report.hasUtilization()
                    ? OptionalDouble.of(report.getUtilization())
                    : OptionalDouble.empty(),
                report.hasMemoryBytes()
                    ? OptionalLong.of(report.getMemoryBytes())
                    : OptionalLong.empty())));
  }
}

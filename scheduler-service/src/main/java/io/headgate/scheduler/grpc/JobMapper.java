package io.headgate.scheduler.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.scheduler.v1.Attempt;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.Placement;
import io.headgate.proto.scheduler.v1.Preemption;
import io.headgate.proto.scheduler.v1.Progress;
import io.headgate.proto.scheduler.v1.Reason;
import io.headgate.proto.scheduler.v1.Slice;
import io.headgate.proto.scheduler.v1.UsageKind;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.SlicePlacement;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.scheduler.runtime.record.Progress.Advance;
import io.headgate.scheduler.runtime.record.SliceUse;
import io.headgate.scheduler.runtime.text.DecisionText;
import io.headgate.scheduler.runtime.text.ReasonText;
import io.headgate.type.Viewer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Jobs in the form of the contract.
final class JobMapper {
  private JobMapper() {}

  /// The reader of a job.
  ///
  /// @param showsEnvironment may know its values, which may be secrets
  record Audience(Viewer viewer, boolean showsEnvironment) {}

  /// A job without what it runs, as lists and watches show it.
  static Job.Builder toSummary(JobView view, Viewer viewer) {
    JobRecord record = view.job();
    Job.Builder job =
        Job.newBuilder()
            .setName(record.name().toString())
            .setSpec(summary(record))
            .setState(toState(record.state()))
            .setUser(record.job().spec().user().name())
            .setPolicy(record.metadata().policy())
            .setProfile(record.metadata().profile())
            .setGpus(record.metadata().gpus().toString())
            .setWorkers(record.metadata().workers())
            .setAttempt(record.job().attempts())
            .setCreateTime(ProtoTimes.toProto(record.metadata().createdAt()))
            .setSimulated(record.simulated())
            .setVersion(record.version());
    view.attempt().map(attempt -> toAttempt(record, attempt, viewer)).ifPresent(job::addAttempts);
    toReason(view).ifPresent(job::setReason);
    expectedStart(view).map(ProtoTimes::toProto).ifPresent(job::setExpectedStartTime);
    view.position().ifPresent(position -> job.setPosition(position.number()));
    record.course().startedAt().map(ProtoTimes::toProto).ifPresent(job::setStartTime);
    record.course().finishedAt().map(ProtoTimes::toProto).ifPresent(job::setFinishTime);
    if (!record.state().hasAttempt()) {
      record.course().exitCode().ifPresent(job::setExitCode);
    }
    view.use()
        .ifPresent(use ->
            job.setUsageKind(
                switch (use) {
                  case ENTITLED -> UsageKind.USAGE_KIND_ENTITLED;
                  case OVER_RESERVATION -> UsageKind.USAGE_KIND_OVER_RESERVATION;
                  case ABOVE_LIMIT -> UsageKind.USAGE_KIND_ABOVE_LIMIT;
                }));
    return job;
  }

  /// A job with its specification and its attempts.
  static Job toJob(JobView view, JobSpec spec, List<AttemptRecord> attempts, Audience audience) {
    Job.Builder job = toSummary(view, audience.viewer());
    job.setSpec(audience.showsEnvironment() ? spec : spec.toBuilder().clearEnvironment().build());
    if (!attempts.isEmpty()) {
      job.clearAttempts();
      attempts.forEach(
          attempt -> job.addAttempts(toAttempt(view.job(), attempt, audience.viewer())));
    }
    return job.build();
  }

  static JobSpec spec(Document document) {
    try {
      return JobSpec.parseFrom(document.bytes());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a stored job cannot be read", e);
    }
  }

  private static JobSpec summary(JobRecord record) {
    var core = record.job().spec();
    JobSpec.Builder spec =
        JobSpec.newBuilder().setQueue(core.queue().name()).setPriority(core.priority());
    core.preemptible().ifPresent(spec::setPreemptible);
    core.maxRuntime().map(ProtoTimes::toProto).ifPresent(spec::setMaxRuntime);
    core.suspend().map(ProtoTimes::toProto).ifPresent(spec::setSuspend);
    spec.setMovable(core.movable());
    for (String label : record.metadata().labels()) {
      int equals = label.indexOf('=');
      spec.putLabels(label.substring(0, equals), label.substring(equals + 1));
    }
    return spec.build();
  }

  /// Known only of a job that a place is held for, whose leavers have said how long they run.
  private static Optional<Instant> expectedStart(JobView view) {
    return view.reason()
        .flatMap(reason ->
            reason instanceof io.headgate.scheduler.core.explain.Reason.Holding holding
                ? holding.expectedStart()
                : Optional.empty());
  }

  private static Optional<Reason> toReason(JobView view) {
    return view.reason()
        .map(JobMapper::toReason)
        .or(() -> view.job().cancellation().map(JobMapper::toReason))
        .or(() ->
            view.job()
                .draft()
                .map(draft ->
                    Reason.newBuilder().setCode(draft.code()).setMessage(draft.message()).build()));
  }

  private static Reason toReason(Cancellation cancellation) {
    return Reason.newBuilder()
        .setCode("CANCELLED")
        .setMessage(cancellation.sentence())
        .putDetail("by", cancellation.by())
        .putDetail("reason", cancellation.reason())
        .build();
  }

  static Reason toReason(io.headgate.scheduler.core.explain.Reason reason) {
    return Reason.newBuilder()
        .setCode(reason.code())
        .setMessage(ReasonText.sentence(reason))
        .putAllDetail(ReasonText.detail(reason))
        .build();
  }

  static Job.State toState(JobState state) {
    return switch (state) {
      case DRAFT -> Job.State.STATE_DRAFT;
      case WAITING -> Job.State.STATE_WAITING;
      case ASSIGNED -> Job.State.STATE_ASSIGNED;
      case RUNNING -> Job.State.STATE_RUNNING;
      case STOPPING -> Job.State.STATE_STOPPING;
      case SUSPENDED -> Job.State.STATE_SUSPENDED;
      case DONE -> Job.State.STATE_DONE;
      case FAILED -> Job.State.STATE_FAILED;
      case CANCELLED -> Job.State.STATE_CANCELLED;
      case LOST -> Job.State.STATE_LOST;
    };
  }

  static Optional<JobState> toState(Job.State state) {
    return switch (state) {
      case STATE_DRAFT -> Optional.of(JobState.DRAFT);
      case STATE_WAITING -> Optional.of(JobState.WAITING);
      case STATE_ASSIGNED -> Optional.of(JobState.ASSIGNED);
      case STATE_RUNNING -> Optional.of(JobState.RUNNING);
      case STATE_STOPPING -> Optional.of(JobState.STOPPING);
      case STATE_SUSPENDED -> Optional.of(JobState.SUSPENDED);
      case STATE_DONE -> Optional.of(JobState.DONE);
      case STATE_FAILED -> Optional.of(JobState.FAILED);
      case STATE_CANCELLED -> Optional.of(JobState.CANCELLED);
      case STATE_LOST -> Optional.of(JobState.LOST);
      case STATE_UNSPECIFIED, UNRECOGNIZED -> Optional.empty();
    };
  }

  private static Attempt toAttempt(JobRecord job, AttemptRecord record, Viewer viewer) {
    var core = record.attempt();
    Attempt.Builder attempt =
        Attempt.newBuilder()
            .setNumber(core.id().number())
            .setPool(core.assignment().pool().name())
            .addAllPlacements(toPlacements(core.assignment().workers()))
            .setAssignTime(ProtoTimes.toProto(core.assignedAt()));
    core.startedAt().map(ProtoTimes::toProto).ifPresent(attempt::setStartTime);
    core.checkpointAt().map(ProtoTimes::toProto).ifPresent(attempt::setCheckpointTime);
    record.progress().advance().map(JobMapper::toProgress).ifPresent(attempt::setProgress);
    SliceUse use = record.use();
    if (use.isSomething()) {
      attempt.setUse(toUse(use));
    }
    core.stop()
        .ifPresent(order -> {
          if (order.cause() instanceof StopCause.Preempted(var _, var rule, var grounds)) {
            PolicyId winner = grounds.winner().policy();
            boolean seen = winner.tenant().equals(job.tenant()) && viewer.seesTeam(winner.name());
            attempt.setPreemption(
                Preemption.newBuilder()
                    .setByJob(
                        seen
                            ? record.stop().map(AttemptRecord.StopNote::byJob).orElse("")
                            : Viewer.ANOTHER_TEAMS_JOB)
                    .setRule(rule.name())
                    .setMessage(
                        seen
                            ? record.stop().map(AttemptRecord.StopNote::message).orElse("")
                            : DecisionText.byAnotherTeam(job.name().id(), rule.name()))
                    .setTime(ProtoTimes.toProto(order.at())));
          }
        });
    record
        .ending()
        .ifPresent(ending -> {
          attempt
              .setEndTime(ProtoTimes.toProto(ending.at()))
              .setOutcome(toOutcome(ending.outcome()))
              .setError(ending.error());
          ending.exitCode().ifPresent(attempt::setExitCode);
        });
    return attempt.build();
  }

  private static io.headgate.proto.scheduler.v1.SliceUse toUse(SliceUse use) {
    var wire =
        io.headgate.proto.scheduler.v1.SliceUse.newBuilder()
            .setBusyMillis(use.busyMillis())
            .setMeasuredMillis(use.measuredMillis());
    use.now().utilization().ifPresent(wire::setUtilization);
    use.now().memoryBytes().ifPresent(wire::setMemoryBytes);
    return wire.build();
  }

  private static Progress toProgress(Advance advance) {
    return Progress.newBuilder()
        .setFraction(advance.permyriad() / AttemptNews.PERMYRIAD)
        .setMessage(advance.message())
        .setReportTime(ProtoTimes.toProto(advance.heardAt()))
        .build();
  }

  private static Attempt.Outcome toOutcome(AttemptRecord.Outcome outcome) {
    return switch (outcome) {
      case SUCCEEDED -> Attempt.Outcome.OUTCOME_SUCCEEDED;
      case FAILED -> Attempt.Outcome.OUTCOME_FAILED;
      case REQUEUED -> Attempt.Outcome.OUTCOME_REQUEUED;
      case CANCELLED -> Attempt.Outcome.OUTCOME_CANCELLED;
      case TIMED_OUT -> Attempt.Outcome.OUTCOME_TIMED_OUT;
      case LOST -> Attempt.Outcome.OUTCOME_LOST;
      case REJECTED -> Attempt.Outcome.OUTCOME_REJECTED;
    };
  }

  static List<Placement> toPlacements(List<WorkerPlace> workers) {
    List<Placement> placements = new ArrayList<>();
    for (int worker = 0; worker < workers.size(); worker++) {
      WorkerPlace place = workers.get(worker);
      Placement.Builder placement =
          Placement.newBuilder().setWorker(worker).setNode(place.node().name());
      for (var slice : place.slices()) {
        Slice.Builder part =
            Slice.newBuilder()
                .setDeviceIndex(slice.device())
                .setDeviceUuid(slice.uuid())
                .setGpus(slice.quantity().toString())
                .setMemoryBytes(slice.memoryBytes())
                .setIsolation(AgentMapper.toLevel(slice.isolation()));
        slice.placement().map(JobMapper::toPlacement).ifPresent(part::setPlacement);
        placement.addSlices(part);
      }
      placements.add(placement.build());
    }
    return placements;
  }

  static io.headgate.proto.type.v1.SlicePlacement toPlacement(SlicePlacement placement) {
    return io.headgate.proto.type.v1.SlicePlacement.newBuilder()
        .setProfile(placement.profile())
        .setStart(placement.start())
        .setSize(placement.size())
        .setGives(placement.gives().toString())
        .build();
  }
}

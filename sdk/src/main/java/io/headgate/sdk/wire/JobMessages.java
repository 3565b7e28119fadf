package io.headgate.sdk.wire;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import io.headgate.proto.scheduler.v1.AbortCallback;
import io.headgate.proto.scheduler.v1.Attempt.Outcome;
import io.headgate.proto.scheduler.v1.CopyNumber;
import io.headgate.proto.scheduler.v1.Dependency;
import io.headgate.proto.scheduler.v1.Progress;
import io.headgate.proto.scheduler.v1.SliceUse;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.type.v1.Container;
import io.headgate.proto.type.v1.SlicePlacement;
import io.headgate.sdk.config.PullPolicy;
import io.headgate.sdk.model.Attempt;
import io.headgate.sdk.model.Attempt.Preemption;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Placement;
import io.headgate.sdk.model.Reason;
import io.headgate.sdk.model.Submission;
import io.headgate.sdk.model.UsageKind;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Maps jobs between messages and records.
public final class JobMessages {
  private JobMessages() {}

  public static Job job(io.headgate.proto.scheduler.v1.Job job) {
    return new Job(
        ResourceNames.tenantOf(job.getName()),
        ResourceNames.id(job.getName()),
        spec(job.getSpec()),
        state(job.getState()),
        job.getUser(),
        job.getPolicy(),
        job.getProfile(),
        ValueMessages.gpus(job.getGpus()),
        job.getWorkers(),
        job.getAttempt(),
        job.getAttemptsList().stream().map(JobMessages::attempt).toList(),
        job.hasReason() ? reason(job.getReason()) : null,
        job.getPosition(),
        instant(job.hasExpectedStartTime(), job.getExpectedStartTime()),
        instant(job.hasCreateTime(), job.getCreateTime()),
        instant(job.hasStartTime(), job.getStartTime()),
        instant(job.hasFinishTime(), job.getFinishTime()),
        job.hasExitCode() ? job.getExitCode() : null,
        usageKind(job.getUsageKind()),
        job.getSimulated(),
        job.getVersion());
  }

  private static JobSpec spec(io.headgate.proto.scheduler.v1.JobSpec spec) {
    return new JobSpec(
        spec.getQueue(),
        spec.getCommandList(),
        spec.getEnvironmentMap(),
        ValueMessages.textOrNull(spec.getWorkingDirectory()),
        duration(spec.hasMaxRuntime(), spec.getMaxRuntime()),
        spec.getPriority(),
        spec.hasPreemptible() ? spec.getPreemptible() : null,
        spec.hasAbortCallback() ? callback(spec.getAbortCallback()) : null,
        duration(spec.hasTerminationGrace(), spec.getTerminationGrace()),
        spec.getLabelsMap(),
        spec.getDraft(),
        spec.hasContainer() ? container(spec.getContainer()) : null,
        duration(spec.hasSuspend(), spec.getSuspend()),
        spec.getMovable(),
        spec.getAfterList().stream().map(JobMessages::dependency).toList(),
        instant(spec.hasNotBefore(), spec.getNotBefore()),
        spec.hasCopyNumber()
            ? new JobSpec.CopyNumber(
                spec.getCopyNumber().getIndex(), spec.getCopyNumber().getCount())
            : null);
  }

  private static JobSpec.Dependency dependency(Dependency dependency) {
    return new JobSpec.Dependency(
        dependency.getJob(),
        switch (dependency.getCondition()) {
          case CONDITION_UNSPECIFIED, CONDITION_OK, UNRECOGNIZED -> JobSpec.Dependency.Condition.OK;
          case CONDITION_ANY -> JobSpec.Dependency.Condition.ANY;
          case CONDITION_FAIL -> JobSpec.Dependency.Condition.FAIL;
        });
  }

  private static Dependency dependency(JobSpec.Dependency dependency) {
    return Dependency.newBuilder()
        .setJob(dependency.job())
        .setCondition(
            switch (dependency.condition()) {
              case OK -> Dependency.Condition.CONDITION_OK;
              case ANY -> Dependency.Condition.CONDITION_ANY;
              case FAIL -> Dependency.Condition.CONDITION_FAIL;
            })
        .build();
  }

  private static JobSpec.Container container(Container container) {
    @Nullable PullPolicy pull =
        switch (container.getPullPolicy()) {
          case PULL_POLICY_ALWAYS -> PullPolicy.ALWAYS;
          case PULL_POLICY_IF_NOT_PRESENT -> PullPolicy.IF_NOT_PRESENT;
          case PULL_POLICY_NEVER -> PullPolicy.NEVER;
          case PULL_POLICY_UNSPECIFIED, UNRECOGNIZED -> null;
        };
    return new JobSpec.Container(container.getImage(), pull);
  }

  private static Container container(JobSpec.Container container) {
    Container.Builder message = Container.newBuilder().setImage(container.image());
    if (container.pull() != null) {
      message.setPullPolicy(
          switch (container.pull()) {
            case ALWAYS -> Container.PullPolicy.PULL_POLICY_ALWAYS;
            case IF_NOT_PRESENT -> Container.PullPolicy.PULL_POLICY_IF_NOT_PRESENT;
            case NEVER -> Container.PullPolicy.PULL_POLICY_NEVER;
          });
    }
    return message.build();
  }

  private static JobSpec.AbortCallback callback(AbortCallback callback) {
    return new JobSpec.AbortCallback(
        callback.getCommandList(), duration(callback.hasTimeout(), callback.getTimeout()));
  }

  /// The request for one job. The caller adds the request id, because it knows whether the request
  /// is part of a batch.
  public static SubmitJobRequest.Builder request(String tenant, Submission submission) {
    return SubmitJobRequest.newBuilder()
        .setParent(ResourceNames.tenant(tenant))
        .setSpec(spec(submission.spec()))
        .setJobId(ValueMessages.text(submission.jobId()))
        .setIdPrefix(ValueMessages.text(submission.idPrefix()));
  }

  private static io.headgate.proto.scheduler.v1.JobSpec spec(JobSpec spec) {
    io.headgate.proto.scheduler.v1.JobSpec.Builder message =
        io.headgate.proto.scheduler.v1.JobSpec.newBuilder()
            .setQueue(spec.queue())
            .addAllCommand(spec.command())
            .putAllEnvironment(spec.environment())
            .setWorkingDirectory(ValueMessages.text(spec.workingDirectory()))
            .setPriority(spec.priority())
            .putAllLabels(spec.labels())
            .setDraft(spec.draft())
            .setMovable(spec.movable());
    spec.after().forEach(each -> message.addAfter(dependency(each)));
    if (spec.notBefore() != null) {
      message.setNotBefore(TimeMessages.timestamp(spec.notBefore()));
    }
    if (spec.copyNumber() != null) {
      message.setCopyNumber(
          CopyNumber.newBuilder()
              .setIndex(spec.copyNumber().index())
              .setCount(spec.copyNumber().count()));
    }
    if (spec.maxRuntime() != null) {
      message.setMaxRuntime(TimeMessages.duration(spec.maxRuntime()));
    }
    if (spec.suspend() != null) {
      message.setSuspend(TimeMessages.duration(spec.suspend()));
    }
    if (spec.container() != null) {
      message.setContainer(container(spec.container()));
    }
    if (spec.preemptible() != null) {
      message.setPreemptible(spec.preemptible());
    }
    if (spec.abortCallback() != null) {
      AbortCallback.Builder callback =
          AbortCallback.newBuilder().addAllCommand(spec.abortCallback().command());
      if (spec.abortCallback().timeout() != null) {
        callback.setTimeout(TimeMessages.duration(spec.abortCallback().timeout()));
      }
      message.setAbortCallback(callback);
    }
    if (spec.terminationGrace() != null) {
      message.setTerminationGrace(TimeMessages.duration(spec.terminationGrace()));
    }
    return message.build();
  }

  public static io.headgate.proto.scheduler.v1.JobFilter filter(JobFilter filter) {
    io.headgate.proto.scheduler.v1.JobFilter.Builder message =
        io.headgate.proto.scheduler.v1.JobFilter.newBuilder()
            .addAllQueues(filter.queues())
            .addAllPolicies(filter.policies())
            .addAllUsers(filter.users())
            .putAllLabels(filter.labels());
    filter.states().forEach(state -> message.addStates(state(state)));
    if (filter.createdAfter() != null) {
      message.setCreatedAfter(TimeMessages.timestamp(filter.createdAfter()));
    }
    if (filter.activeOrFinishedAfter() != null) {
      message.setActiveOrFinishedAfter(TimeMessages.timestamp(filter.activeOrFinishedAfter()));
    }
    return message.build();
  }

  private static io.headgate.proto.scheduler.v1.Job.State state(JobState state) {
    return state == JobState.UNKNOWN
        ? io.headgate.proto.scheduler.v1.Job.State.STATE_UNSPECIFIED
        : io.headgate.proto.scheduler.v1.Job.State.valueOf("STATE_" + state.name());
  }

  private static JobState state(io.headgate.proto.scheduler.v1.Job.State state) {
    return switch (state) {
      case STATE_DRAFT -> JobState.DRAFT;
      case STATE_WAITING -> JobState.WAITING;
      case STATE_ASSIGNED -> JobState.ASSIGNED;
      case STATE_RUNNING -> JobState.RUNNING;
      case STATE_STOPPING -> JobState.STOPPING;
      case STATE_SUSPENDED -> JobState.SUSPENDED;
      case STATE_DONE -> JobState.DONE;
      case STATE_FAILED -> JobState.FAILED;
      case STATE_CANCELLED -> JobState.CANCELLED;
      case STATE_LOST -> JobState.LOST;
      case STATE_UNSPECIFIED, UNRECOGNIZED -> JobState.UNKNOWN;
    };
  }

  private static UsageKind usageKind(io.headgate.proto.scheduler.v1.UsageKind kind) {
    return switch (kind) {
      case USAGE_KIND_ENTITLED -> UsageKind.ENTITLED;
      case USAGE_KIND_OVER_RESERVATION -> UsageKind.OVER_RESERVATION;
      case USAGE_KIND_ABOVE_LIMIT -> UsageKind.ABOVE_LIMIT;
      case USAGE_KIND_UNSPECIFIED, UNRECOGNIZED -> UsageKind.NONE;
    };
  }

  private static Attempt attempt(io.headgate.proto.scheduler.v1.Attempt attempt) {
    return new Attempt(
        attempt.getNumber(),
        attempt.getPool(),
        attempt.getPlacementsList().stream().map(JobMessages::placement).toList(),
        instant(attempt.hasAssignTime(), attempt.getAssignTime()),
        instant(attempt.hasStartTime(), attempt.getStartTime()),
        instant(attempt.hasEndTime(), attempt.getEndTime()),
        outcome(attempt.getOutcome()),
        attempt.hasExitCode() ? attempt.getExitCode() : null,
        attempt.hasPreemption() ? preemption(attempt.getPreemption()) : null,
        ValueMessages.textOrNull(attempt.getError()),
        attempt.hasProgress() ? progress(attempt.getProgress()) : null,
        instant(attempt.hasCheckpointTime(), attempt.getCheckpointTime()),
        attempt.hasUse() ? use(attempt.getUse()) : null);
  }

  private static Attempt.SliceUse use(SliceUse use) {
    return new Attempt.SliceUse(
        use.getBusyMillis(),
        use.getMeasuredMillis(),
        use.hasUtilization() ? use.getUtilization() : null,
        use.hasMemoryBytes() ? use.getMemoryBytes() : null);
  }

  private static Attempt.Progress progress(Progress progress) {
    return new Attempt.Progress(
        progress.getFraction(),
        ValueMessages.textOrNull(progress.getMessage()),
        instant(progress.hasReportTime(), progress.getReportTime()));
  }

  private static Attempt.Outcome outcome(Outcome outcome) {
    return switch (outcome) {
      case OUTCOME_SUCCEEDED -> Attempt.Outcome.SUCCEEDED;
      case OUTCOME_FAILED -> Attempt.Outcome.FAILED;
      case OUTCOME_REQUEUED -> Attempt.Outcome.REQUEUED;
      case OUTCOME_CANCELLED -> Attempt.Outcome.CANCELLED;
      case OUTCOME_TIMED_OUT -> Attempt.Outcome.TIMED_OUT;
      case OUTCOME_LOST -> Attempt.Outcome.LOST;
      case OUTCOME_REJECTED -> Attempt.Outcome.REJECTED;
      case OUTCOME_UNSPECIFIED, UNRECOGNIZED -> Attempt.Outcome.NOT_ENDED;
    };
  }

  static Preemption preemption(io.headgate.proto.scheduler.v1.Preemption preemption) {
    return new Preemption(
        ResourceNames.id(preemption.getByJob()),
        preemption.getRule(),
        preemption.getMessage(),
        instant(preemption.hasTime(), preemption.getTime()));
  }

  static Placement placement(io.headgate.proto.scheduler.v1.Placement placement) {
    return new Placement(
        placement.getWorker(),
        placement.getNode(),
        placement.getSlicesList().stream()
            .map(slice ->
                new Placement.Slice(
                    slice.getDeviceIndex(),
                    slice.getDeviceUuid(),
                    ValueMessages.gpus(slice.getGpus()),
                    slice.getMemoryBytes(),
                    ValueMessages.isolation(slice.getIsolation()),
                    slice.hasPlacement() ? place(slice.getPlacement()) : null))
            .toList());
  }

  private static Placement.Place place(SlicePlacement place) {
    return new Placement.Place(
        place.getProfile(),
        place.getStart(),
        place.getSize(),
        ValueMessages.gpus(place.getGives()));
  }

  static Reason reason(io.headgate.proto.scheduler.v1.Reason reason) {
    return new Reason(reason.getCode(), reason.getMessage(), reason.getDetailMap());
  }

  static @Nullable Instant instant(boolean present, Timestamp time) {
    return present ? TimeMessages.instant(time) : null;
  }

  static java.time.@Nullable Duration duration(boolean present, Duration duration) {
    return present ? TimeMessages.duration(duration) : null;
  }
}

package io.headgate.agent.grpc;

import com.google.protobuf.Duration;
import io.headgate.agent.core.AbortCallback;
import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.Container;
import io.headgate.agent.core.Container.PullPolicy;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.JobEnvironment;
import io.headgate.agent.core.JobName;
import io.headgate.agent.core.Leadership;
import io.headgate.agent.core.Rendezvous;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.core.SlicePlace;
import io.headgate.agent.core.StopOrder;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.Forget;
import io.headgate.proto.agent.v1.Go;
import io.headgate.proto.agent.v1.Resume;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.type.v1.SlicePlacement;
import io.headgate.type.GpuQuantity;
import io.headgate.type.JobRules;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The scheduler's messages as inputs of the reconciler.
final class FromWire {
  private static final java.time.Duration DEFAULT_ABORT_TIMEOUT = java.time.Duration.ofMinutes(3);
  private static final java.time.Duration DEFAULT_GRACE = java.time.Duration.ofSeconds(10);

  private FromWire() {}

  static Leadership leadership(io.headgate.proto.agent.v1.Leadership wire) {
    return new Leadership(wire.getIncarnation(), wire.getEpoch(), wire.getLeader());
  }

  /// @throws IllegalArgumentException when there is no telling which attempt is meant
  static AttemptKey key(String job, String uid, int attempt, int worker) {
    return new AttemptKey(JobName.parse(job), uid, attempt, worker);
  }

  /// An assignment, or what is wrong with it.
  ///
  /// @throws IllegalArgumentException when there is no telling which attempt is meant
  static Input assign(Assign wire, Instant now) {
    Leadership leadership = leadership(wire.getLeadership());
    AttemptKey key = key(wire.getJob(), wire.getUid(), wire.getAttempt(), wire.getWorker());
    List<JobRules.Problem> problems = JobRules.problems(content(wire));
    if (!problems.isEmpty()) {
      // The job's own fault: no machine would run it.
      return new Input.Malformed(
          leadership, key, EndReason.START_FAILED, problems.getFirst().sentence(), now);
    }
    try {
      return new Input.Assigned(leadership, assignment(wire, key), now);
    } catch (IllegalArgumentException | ArithmeticException e) {
      // The order is at fault: it names slices or levels that this version cannot read.
      return new Input.Malformed(
          leadership, key, EndReason.REJECTED, String.valueOf(e.getMessage()), now);
    }
  }

  /// An order to stop.
  ///
  /// @throws IllegalArgumentException when there is no telling which attempt is meant
  static Input stop(Stop wire, Instant now) {
    StopOrder.Kind kind =
        switch (wire.getKind()) {
          case KIND_CANCEL -> StopOrder.Kind.CANCEL;
          case KIND_ORPHAN -> StopOrder.Kind.ORPHAN;
          case KIND_PREEMPT, KIND_UNSPECIFIED, UNRECOGNIZED -> StopOrder.Kind.PREEMPT;
        };
    return new Input.StopOrdered(
        leadership(wire.getLeadership()),
        key(wire.getJob(), wire.getUid(), wire.getAttempt(), wire.getWorker()),
        new StopOrder(kind, wire.getSkipCallback(), wire.getSuspension()),
        now);
  }

  /// An order to go on.
  ///
  /// @throws IllegalArgumentException when there is no telling which attempt is meant
  static Input resume(Resume wire, Instant now) {
    return new Input.ResumeOrdered(
        leadership(wire.getLeadership()),
        key(wire.getJob(), wire.getUid(), wire.getAttempt(), wire.getWorker()),
        now);
  }

  /// The start of a prepared worker.
  ///
  /// @throws IllegalArgumentException when there is no telling which attempt or address is meant
  static Input go(Go wire, Instant now) {
    return new Input.GoOrdered(
        leadership(wire.getLeadership()),
        key(wire.getJob(), wire.getUid(), wire.getAttempt(), wire.getWorker()),
        new Rendezvous(
            wire.getHostsList(),
            wire.getMasterPort(),
            wire.getLocalRank(),
            wire.getLocalWorldSize(),
            wire.getNodeRank()),
        now);
  }

  static Input forgotten(Forget wire) {
    return new Input.Forgotten(
        key(wire.getJob(), wire.getUid(), wire.getAttempt(), wire.getWorker()));
  }

  private static JobRules.Content content(Assign wire) {
    return new JobRules.Content(
        wire.getCommandList(),
        wire.getAbortCommandList(),
        wire.getEnvironmentMap(),
        wire.getWorkingDirectory(),
        wire.hasContainer() ? Optional.of(wire.getContainer().getImage()) : Optional.empty());
  }

  private static Assignment assignment(Assign wire, AttemptKey key) {
    return new Assignment(
        key,
        Math.max(1, wire.getWorkers()),
        wire.getQueue(),
        wire.getSlicesList().stream().map(FromWire::grant).toList(),
        wire.getCpuMillis(),
        wire.getMemoryBytes(),
        wire.getCommandList(),
        environment(wire),
        Optional.of(wire.getWorkingDirectory()).filter(directory -> !directory.isEmpty()),
        wire.hasTimeLimit() ? Optional.of(duration(wire.getTimeLimit())) : Optional.empty(),
        new AbortCallback(
            wire.getAbortCommandList(),
            wire.hasAbortTimeout() ? duration(wire.getAbortTimeout()) : DEFAULT_ABORT_TIMEOUT),
        wire.hasTerminationGrace() ? duration(wire.getTerminationGrace()) : DEFAULT_GRACE,
        wire.hasStopAfter() ? Optional.of(duration(wire.getStopAfter())) : Optional.empty(),
        wire.getTraceparent(),
        wire.getResume(),
        isolation(wire.getMinimumIsolation()),
        wire.getUser(),
        wire.hasContainer() ? Optional.of(container(wire.getContainer())) : Optional.empty(),
        Optional.of(wire.getStorage()).filter(storage -> !storage.isEmpty()),
        wire.getStartBarrier());
  }

  /// The names of masked variables lie beside their values, so that they last as long as the
  /// output.
  private static SortedMap<String, String> environment(Assign wire) {
    SortedMap<String, String> environment = new TreeMap<>(wire.getEnvironmentMap());
    if (wire.getMaskedVariablesCount() > 0) {
      environment.put(JobEnvironment.MASKED, String.join(",", wire.getMaskedVariablesList()));
    }
    return environment;
  }

  private static Container container(io.headgate.proto.type.v1.Container wire) {
    PullPolicy pull =
        switch (wire.getPullPolicy()) {
          case PULL_POLICY_UNSPECIFIED, PULL_POLICY_IF_NOT_PRESENT -> PullPolicy.IF_NOT_PRESENT;
          case PULL_POLICY_ALWAYS -> PullPolicy.ALWAYS;
          case PULL_POLICY_NEVER -> PullPolicy.NEVER;
          case UNRECOGNIZED -> throw new IllegalArgumentException("unknown pull policy");
        };
    return new Container(wire.getImage(), pull);
  }

  private static SliceGrant grant(io.headgate.proto.agent.v1.SliceGrant wire) {
    return new SliceGrant(
        wire.getDeviceIndex(),
        wire.getDeviceUuid(),
        GpuQuantity.parse(wire.getGpus()),
        wire.getMemoryBytes(),
        wire.hasPlacement() ? Optional.of(place(wire.getPlacement())) : Optional.empty());
  }

  private static SlicePlace place(SlicePlacement wire) {
    return new SlicePlace(wire.getProfile(), wire.getStart(), wire.getSize());
  }

  private static IsolationLevel isolation(io.headgate.proto.type.v1.IsolationLevel wire) {
    return switch (wire) {
      case ISOLATION_LEVEL_UNSPECIFIED -> IsolationLevel.NONE;
      case ISOLATION_LEVEL_REACTIVE -> IsolationLevel.REACTIVE;
      case ISOLATION_LEVEL_DRIVER_PROCESS -> IsolationLevel.DRIVER_PROCESS;
      case ISOLATION_LEVEL_DRIVER_CONTAINER -> IsolationLevel.DRIVER_CONTAINER;
      case ISOLATION_LEVEL_HARDWARE -> IsolationLevel.HARDWARE;
      // A newer scheduler's level is at least as strong as what we know as the strongest.
      case UNRECOGNIZED -> throw new IllegalArgumentException("unknown isolation level");
    };
  }

  private static java.time.Duration duration(Duration wire) {
    return java.time.Duration.ofSeconds(wire.getSeconds(), wire.getNanos());
  }
}

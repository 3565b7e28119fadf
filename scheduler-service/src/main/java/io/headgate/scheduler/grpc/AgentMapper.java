package io.headgate.scheduler.grpc;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.agent.v1.Acknowledge;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.CancelReadLogs;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.Forget;
import io.headgate.proto.agent.v1.Go;
import io.headgate.proto.agent.v1.Heartbeat;
import io.headgate.proto.agent.v1.Hello;
import io.headgate.proto.agent.v1.ReadLogs;
import io.headgate.proto.agent.v1.Resume;
import io.headgate.proto.agent.v1.SliceGrant;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.agent.v1.Welcome;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.type.v1.IsolationLevel;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.AgentReport.StopPhase;
import io.headgate.scheduler.runtime.agent.JobVariables;
import io.headgate.scheduler.runtime.agent.NodeCondition;
import io.headgate.scheduler.runtime.agent.WorkerAddress;
import io.headgate.scheduler.runtime.catalog.Grace;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.WorkerFacts.EndReason;
import io.headgate.scheduler.runtime.record.WorkerName;
import io.headgate.type.ImagePattern;
import io.headgate.type.ImageRules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The words of the agent's stream.
final class AgentMapper {
  /// The newest version of the agents' protocol that is spoken here, and the one before it.
  static final int PROTOCOL_VERSION = 1;

  private static final Duration ABORT_TIMEOUT = Duration.ofMinutes(3);
  private static final Duration TERMINATION_GRACE = Duration.ofSeconds(10);

  private AgentMapper() {}

  /// @throws RuntimeException a refusal, if it speaks for another node than its token does
  static void demandOwn(Hello hello, NodeId node) {
    String own = "tenants/" + node.tenant() + "/nodes/" + node.name();
    if (!hello.getNode().equals(own)) {
      throw Refusal.permissionDenied(
              "FOREIGN_NODE",
              "the token is that of %s, it cannot speak for '%s'".formatted(own, hello.getNode()))
          .withMetadata("node", own)
          .exception();
    }
  }

  /// The version that is spoken with an agent: the older of both.
  ///
  /// @param own the newest that is spoken here
  /// @param agents the newest that it speaks
  /// @throws RuntimeException a refusal, if they are more than one apart
  static int spoken(int own, int agents) {
    if (agents < own - 1) {
      throw Refusal.failedPrecondition(
              "AGENT_TOO_OLD",
              "the agent speaks protocol %d, this scheduler %d and %d: upgrade the agent"
                  .formatted(agents, own, own - 1))
          .exception();
    }
    if (agents > own + 1) {
      throw Refusal.failedPrecondition(
              "AGENT_TOO_NEW",
              "the agent speaks protocol %d and %d, this scheduler %d: upgrade the schedulers first"
                  .formatted(agents, agents - 1, own))
          .exception();
    }
    return Math.min(own, agents);
  }

  /// Whether the agent has obeyed a later leader than this replica knows of.
  ///
  /// @param known the leadership that the replica knows of
  static boolean hasObeyedLater(Hello hello, Optional<Leadership> known) {
    var obeyed = hello.getHighestObeyed();
    return known.isPresent()
        && obeyed.getIncarnation().equals(known.get().incarnation().toString())
        && obeyed.getEpoch() > known.get().epoch();
  }

  static NodeCondition toCondition(Heartbeat heartbeat) {
    return new NodeCondition(
        Set.copyOf(heartbeat.getUnusableDevicesList()),
        heartbeat.hasRunsImages() ? Optional.of(heartbeat.getRunsImages()) : Optional.empty());
  }

  static AgentHello toHello(Hello hello) {
    return new AgentHello(
        hello.getSessionId(),
        hello.getBootId(),
        hello.getAgentVersion(),
        hello.getSimulated(),
        hello.getClosing(),
        hello.getRunsImages(),
        imageRules(hello.getImageRules()),
        hello.getAttemptsList().stream().map(AgentMapper::toReport).toList());
  }

  /// An agent with patterns that this version cannot read counts as one that runs all images.
  private static ImageRules imageRules(io.headgate.proto.agent.v1.ImageRules rules) {
    List<String> allowed = rules.getAllowedList();
    try {
      return new ImageRules(
          allowed.isEmpty()
              ? Optional.empty()
              : Optional.of(allowed.stream().map(ImagePattern::parse).toList()),
          rules.getDigestRequired());
    } catch (IllegalArgumentException _) {
      return ImageRules.NONE;
    }
  }

  static AgentReport toReport(io.headgate.proto.agent.v1.AttemptReport report) {
    Optional<StopPhase> phase =
        report.getStopPhase().isEmpty()
            ? Optional.empty()
            : Optional.of(
                new StopPhase(
                    report.getStopPhase(),
                    report.getStopPhaseResult(),
                    report.hasStopPhaseDuration()
                        ? credible(report.getStopPhaseDuration())
                        : Optional.empty()));
    AgentReport.State state = toState(report.getState());
    return new AgentReport(
        Names.reported(report.getJob()),
        report.getUid(),
        report.getAttempt(),
        report.getWorker(),
        state,
        state == AgentReport.State.ENDED
            ? Optional.of(toEndReason(report.getEndReason()))
            : Optional.empty(),
        report.hasExitCode() ? Optional.of(report.getExitCode()) : Optional.empty(),
        report.getError(),
        report.hasStartTime() ? credible(report.getStartTime()) : Optional.empty(),
        report.hasEndTime() ? credible(report.getEndTime()) : Optional.empty(),
        phase,
        report.getSuspension(),
        report.getWorkerAddress().isEmpty()
            ? Optional.empty()
            : Optional.of(new WorkerAddress(report.getWorkerAddress(), report.getMasterPort())));
  }

  /// A machine's clock may say anything, and so may a bad agent; what is no time is not believed.
  private static Optional<Instant> credible(Timestamp time) {
    return Timestamps.isValid(time) && time.getSeconds() >= 0
        ? Optional.of(ProtoTimes.instant(time))
        : Optional.empty();
  }

  static Optional<Duration> credible(com.google.protobuf.Duration duration) {
    return Durations.isValid(duration) && Durations.isPositive(duration)
        ? Optional.of(ProtoTimes.duration(duration))
        : Optional.empty();
  }

  private static AgentReport.State toState(io.headgate.proto.agent.v1.AttemptReport.State state) {
    return switch (state) {
      // An unknown state of a newer agent must not be read as an end.
      case STATE_UNSPECIFIED, STATE_STARTING, UNRECOGNIZED -> AgentReport.State.STARTING;
      case STATE_RUNNING -> AgentReport.State.RUNNING;
      case STATE_STOPPING -> AgentReport.State.STOPPING;
      case STATE_SUSPENDED -> AgentReport.State.SUSPENDED;
      case STATE_ENDED -> AgentReport.State.ENDED;
    };
  }

  private static EndReason toEndReason(io.headgate.proto.agent.v1.AttemptReport.EndReason reason) {
    return switch (reason) {
      case END_REASON_EXITED -> EndReason.EXITED;
      case END_REASON_STOPPED -> EndReason.STOPPED;
      case END_REASON_TIME_LIMIT -> EndReason.TIME_LIMIT;
      case END_REASON_OUT_OF_CONTACT -> EndReason.OUT_OF_CONTACT;
      case END_REASON_START_FAILED -> EndReason.START_FAILED;
      case END_REASON_REJECTED -> EndReason.REJECTED;
      case END_REASON_NODE_STOPPED -> EndReason.NODE_STOPPED;
      case END_REASON_LIMIT_EXCEEDED -> EndReason.LIMIT_EXCEEDED;
      case END_REASON_DEVICE_FAILED -> EndReason.DEVICE_FAILED;
      case END_REASON_LOST, END_REASON_UNSPECIFIED, UNRECOGNIZED -> EndReason.LOST;
    };
  }

  private static Forget.Builder toForget(WorkerName worker) {
    return Forget.newBuilder()
        .setJob(worker.job().toString())
        .setUid(worker.uid())
        .setAttempt(worker.attempt())
        .setWorker(worker.worker());
  }

  /// @param protocol the version that is spoken with the agent
  static ConnectResponse toResponse(AgentCommand command, int protocol) {
    ConnectResponse.Builder response = ConnectResponse.newBuilder();
    switch (command) {
      case AgentCommand.Welcome welcome ->
          response.setWelcome(
              Welcome.newBuilder()
                  .setLeadership(toLeadership(welcome.leadership()))
                  .setHeartbeatInterval(ProtoTimes.toProto(welcome.heartbeat()))
                  .setProtocolVersion(protocol)
                  .setAcknowledgedSequence(welcome.acknowledged()));
      case AgentCommand.Assign assign -> response.setAssign(toAssign(assign));
      case AgentCommand.Stop stop ->
          response.setStop(
              Stop.newBuilder()
                  .setLeadership(toLeadership(stop.leadership()))
                  .setJob(stop.worker().job().toString())
                  .setUid(stop.worker().uid())
                  .setAttempt(stop.worker().attempt())
                  .setWorker(stop.worker().worker())
                  .setKind(
                      switch (stop.kind()) {
                        case PREEMPT -> Stop.Kind.KIND_PREEMPT;
                        case CANCEL -> Stop.Kind.KIND_CANCEL;
                        case ORPHAN -> Stop.Kind.KIND_ORPHAN;
                      })
                  .setSkipCallback(stop.skipCallback())
                  .setSuspension(stop.suspension()));
      case AgentCommand.Resume(Leadership leadership, WorkerName worker) ->
          response.setResume(
              Resume.newBuilder()
                  .setLeadership(toLeadership(leadership))
                  .setJob(worker.job().toString())
                  .setUid(worker.uid())
                  .setAttempt(worker.attempt())
                  .setWorker(worker.worker()));
      case AgentCommand.Go go -> response.setGo(toGo(go));
      case AgentCommand.Acknowledge(long sequence) ->
          response.setAcknowledge(Acknowledge.newBuilder().setSequence(sequence));
      case AgentCommand.Forget(WorkerName worker) -> response.setForget(toForget(worker));
      case AgentCommand.ReadLogs read ->
          response.setReadLogs(
              ReadLogs.newBuilder()
                  .setReadId(read.readId())
                  .setJob(read.worker().job().toString())
                  .setUid(read.worker().uid())
                  .setAttempt(read.worker().attempt())
                  .setWorker(read.worker().worker())
                  .setFollow(read.follow())
                  .setTailBytes(read.tailBytes())
                  .setWindowBytes(read.windowBytes()));
      case AgentCommand.CancelReadLogs(String readId) ->
          response.setCancelReadLogs(CancelReadLogs.newBuilder().setReadId(readId));
    }
    return response.build();
  }

  static io.headgate.proto.agent.v1.Leadership toLeadership(Leadership leadership) {
    return io.headgate.proto.agent.v1.Leadership.newBuilder()
        .setIncarnation(leadership.incarnation().toString())
        .setEpoch(leadership.epoch())
        .setLeader(leadership.leader().orElse(""))
        .build();
  }

  /// How long the stop of a job may take. One without an abort callback may bring one while it
  /// runs, so its time counts, too.
  ///
  /// @param grace of its policy
  static Duration stopTime(JobSpec spec, Grace grace) {
    return abortTimeout(spec, grace).plus(terminationGrace(spec, grace));
  }

  private static Duration abortTimeout(JobSpec spec, Grace grace) {
    Optional<Duration> stated =
        spec.getAbortCallback().hasTimeout()
            ? Optional.of(ProtoTimes.duration(spec.getAbortCallback().getTimeout()))
            : Optional.empty();
    return bounded(stated, grace.callback()).orElse(ABORT_TIMEOUT);
  }

  private static Duration terminationGrace(JobSpec spec, Grace grace) {
    Optional<Duration> stated =
        spec.hasTerminationGrace()
            ? Optional.of(ProtoTimes.duration(spec.getTerminationGrace()))
            : Optional.empty();
    return bounded(stated, grace.terminate()).orElse(TERMINATION_GRACE);
  }

  /// A policy may have been given less since the job was submitted.
  private static Optional<Duration> bounded(
      Optional<Duration> stated, Optional<Duration> ofPolicy) {
    return stated
        .filter(time -> ofPolicy.isEmpty() || time.compareTo(ofPolicy.get()) <= 0)
        .or(() -> ofPolicy);
  }

  private static Go toGo(AgentCommand.Go go) {
    return Go.newBuilder()
        .setLeadership(toLeadership(go.leadership()))
        .setJob(go.worker().job().toString())
        .setUid(go.worker().uid())
        .setAttempt(go.worker().attempt())
        .setWorker(go.worker().worker())
        .addAllHosts(go.hosts())
        .setMasterPort(go.masterPort())
        .setLocalRank(go.localRank())
        .setLocalWorldSize(go.localWorldSize())
        .setNodeRank(go.nodeRank())
        .build();
  }

  private static Assign toAssign(AgentCommand.Assign command) {
    JobSpec spec = JobMapper.spec(command.document());
    Assign.Builder assign =
        Assign.newBuilder()
            .setLeadership(toLeadership(command.leadership()))
            .setJob(command.worker().job().toString())
            .setUid(command.worker().uid())
            .setAttempt(command.worker().attempt())
            .setWorker(command.worker().worker())
            .setWorkers(command.workers())
            .setStartBarrier(command.workers() > 1)
            .setQueue(command.queue())
            .setUser(command.user())
            .setCpuMillis(command.place().cpuMillis())
            .setMemoryBytes(command.place().memoryBytes())
            .addAllCommand(spec.getCommandList())
            .putAllEnvironment(spec.getEnvironmentMap())
            .putAllEnvironment(copyNumber(spec))
            .putAllEnvironment(command.vaultEnvironment())
            .addAllMaskedVariables(command.vaultEnvironment().keySet())
            .setWorkingDirectory(spec.getWorkingDirectory())
            .setTerminationGrace(ProtoTimes.toProto(terminationGrace(spec, command.grace())))
            .setTraceparent(command.traceparent())
            .setResume(command.worker().attempt() > 1)
            .setMinimumIsolation(toLevel(command.isolation()));
    if (spec.hasContainer()) {
      assign.setContainer(spec.getContainer());
    }
    if (spec.hasAbortCallback()) {
      assign
          .addAllAbortCommand(spec.getAbortCallback().getCommandList())
          .setAbortTimeout(ProtoTimes.toProto(abortTimeout(spec, command.grace())));
    }
    command.storage().ifPresent(assign::setStorage);
    command.timeLimit().map(ProtoTimes::toProto).ifPresent(assign::setTimeLimit);
    command.stopAfter().map(ProtoTimes::toProto).ifPresent(assign::setStopAfter);
    for (Slice slice : command.place().slices()) {
      SliceGrant.Builder grant =
          SliceGrant.newBuilder()
              .setDeviceIndex(slice.device())
              .setDeviceUuid(slice.uuid())
              .setGpus(slice.quantity().toString())
              .setMemoryBytes(slice.memoryBytes());
      slice.placement().map(JobMapper::toPlacement).ifPresent(grant::setPlacement);
      assign.addSlices(grant);
    }
    return assign.build();
  }

  private static Map<String, String> copyNumber(JobSpec spec) {
    return spec.hasCopyNumber()
        ? JobVariables.ofCopy(spec.getCopyNumber().getIndex(), spec.getCopyNumber().getCount())
        : Map.of();
  }

  static IsolationLevel toLevel(Isolation isolation) {
    return switch (isolation) {
      case NONE -> IsolationLevel.ISOLATION_LEVEL_UNSPECIFIED;
      case REACTIVE -> IsolationLevel.ISOLATION_LEVEL_REACTIVE;
      case DRIVER_PROCESS -> IsolationLevel.ISOLATION_LEVEL_DRIVER_PROCESS;
      case DRIVER_CONTAINER -> IsolationLevel.ISOLATION_LEVEL_DRIVER_CONTAINER;
      case HARDWARE -> IsolationLevel.ISOLATION_LEVEL_HARDWARE;
    };
  }
}

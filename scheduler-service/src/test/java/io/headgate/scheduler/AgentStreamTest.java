package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.node;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.Heartbeat;
import io.headgate.proto.agent.v1.ImageRules;
import io.headgate.proto.agent.v1.Leadership;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.agent.v1.Update;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.Quarantine;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.ListNodeUsagesRequest;
import io.headgate.proto.scheduler.v1.NodeUsage;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.type.v1.Container;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The agents' stream: whom it believes what, and that order and repetition do not matter.
final class AgentStreamTest {
  private static final int SEEDS = 20;

  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private JobServiceBlockingStub alice;

  @BeforeEach
  void start() {
    start(config -> config);
  }

  private void start(UnaryOperator<SchedulerConfig> adjust) {
    installation = new Installation(POSTGRES.fresh(), adjust);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private static void isRefused(FakeAgent agent, String reason) {
    FakeAgent.awaitThat(agent::isOver);
    assertThat(GrpcFailures.refusal(agent.failure().orElseThrow()).orElseThrow().reason())
        .isEqualTo(reason);
  }

  @Test
  void believesATokenAndNotAName() {
    FakeAgent agent = installation.agent("a-0");
    agent.open(agent.hello().setNode(ACME + "/nodes/b-0"));
    isRefused(agent, "FOREIGN_NODE");
  }

  @Test
  void wantsHelloFirstAndOnce() {
    FakeAgent agent = installation.agent("a-0").connect();
    agent.send(ConnectRequest.newBuilder().setHello(agent.hello()).build());
    isRefused(agent, "HELLO_REPEATED");
    FakeAgent rude = installation.agent("a-0");
    rude.openWith(
        ConnectRequest.newBuilder().setHeartbeat(Heartbeat.newBuilder().setNumber(1)).build());
    isRefused(rude, "HELLO_EXPECTED");
  }

  @Test
  void givesJobsWithAnImageToNodesThatRunSuch() {
    SubmitJobRequest job =
        submit("rnd-3", "r-0").toBuilder()
            .setSpec(
                submit("rnd-3", "r-0").getSpec().toBuilder()
                    .setContainer(Container.newBuilder().setImage("localhost/train:1")))
            .build();
    FakeAgent agent = installation.agent("a-0").connect();
    for (boolean dry : new boolean[] {true, false}) {
      Refused.by(() -> alice.submitJob(job.toBuilder().setValidateOnly(dry).build()))
          .hasReason(Status.Code.FAILED_PRECONDITION, "IMAGES_NOT_RUN")
          .names("spec.container", "queue 'rnd-3'", "a-0", "podman");
    }
    agent.open(
        agent
            .hello()
            .setRunsImages(true)
            .setImageRules(ImageRules.newBuilder().addAllowed("registry.example/team/**")));
    FakeAgent.awaitThat(() -> agent.has(ConnectResponse::hasWelcome));
    for (boolean dry : new boolean[] {true, false}) {
      Refused.by(() -> alice.submitJob(job.toBuilder().setValidateOnly(dry).build()))
          .hasReason(Status.Code.FAILED_PRECONDITION, "IMAGE_NOT_ALLOWED")
          .names("spec.container.image", "queue 'rnd-3'", "a-0", "registry.example/team/**");
    }
    agent.open(
        agent
            .hello()
            .setRunsImages(true)
            .setImageRules(ImageRules.newBuilder().addAllowed("localhost/*")));
    FakeAgent.awaitThat(() -> takes(job));
    submit(alice, job);
    assertThat(agent.awaitAssign("r-0").getContainer().getImage()).isEqualTo("localhost/train:1");
  }

  /// Which machine is which is known from their Hellos.
  @Test
  void keepsAProfileWithImagesFromNodesThatRunNone() {
    installation.neighbours.provision(
        Fixtures.resources(
            List.of(Fixtures.pool("onprem")),
            List.of(
                Fixtures.profile("three", "3", "onprem").toBuilder().setImages(true).build(),
                Fixtures.profile("one", "1", "onprem"),
                Fixtures.profile("two", "2", "onprem"))));
    installation.neighbours.register(node("z-0", "onprem", 3));
    FakeAgent plain = installation.agent("a-0").connect();
    SubmitJobRequest job =
        submit("rnd-3", "r-0").toBuilder()
            .setSpec(
                submit("rnd-3", "r-0").getSpec().toBuilder()
                    .setContainer(Container.newBuilder().setImage("localhost/train:1")))
            .build();
    FakeAgent.awaitThat(() -> takes(job));
    // Its engine may be back before a job comes to it.
    plain.open(
        plain.hello().setImageRules(ImageRules.newBuilder().addAllowed("registry.example/**")));
    FakeAgent.awaitThat(() -> !takes(job));
    Refused.by(() -> submit(alice, job))
        .hasReason(Status.Code.FAILED_PRECONDITION, "IMAGE_NOT_ALLOWED")
        .names("spec.container.image", "a-0", "registry.example/**");
    plain.open(plain.hello());
    FakeAgent.awaitThat(() -> takes(job));
    FakeAgent able = installation.agent("z-0");
    able.open(able.hello().setRunsImages(true));
    submit(alice, job);
    assertThat(able.awaitAssign("r-0").getContainer().getImage()).isEqualTo("localhost/train:1");
    assertThat(plain.assigns()).isEmpty();
    assertThat(usages()).extracting(NodeUsage::getRunsImages).containsExactly(false, true);

    submit(alice, job.toBuilder().setJobId("r-1").build());
    assertThat(get(alice, "r-1").getReason().getMessage())
        .contains("are idle, but on nodes that run no jobs with an image");
    plain.runsImages(true);
    assertThat(plain.awaitAssign("r-1").getContainer().getImage()).isEqualTo("localhost/train:1");
    able.runsImages(false);
    FakeAgent.awaitThat(() ->
        usages().stream().map(NodeUsage::getRunsImages).toList().equals(List.of(true, false)));
  }

  /// A refused stream is closed, so the scheduler asks its agent for nothing more.
  @Test
  void endsAStreamThatItRefuses() {
    FakeAgent agent = installation.agent("a-0");
    AttemptReport malformed =
        AttemptReport.newBuilder().setJob(ACME + "/jobs/r-0").setAttempt(0).build();
    agent.open(agent.hello().addAttempts(malformed));
    FakeAgent.awaitThat(agent::isOver);
    assertThat(installation.service().agents()).isZero();
    agent.connect();
    assertThat(installation.service().agents()).isOne();
    agent.say(malformed);
    FakeAgent.awaitThat(agent::isOver);
    FakeAgent.awaitThat(() -> installation.service().agents() == 0);
    agent.connect();
    agent.send(ConnectRequest.newBuilder().setHello(agent.hello()).build());
    isRefused(agent, "HELLO_REPEATED");
    FakeAgent.awaitThat(() -> installation.service().agents() == 0);
  }

  /// The database would not take them, and the leader would end with it, and the next one too.
  @Test
  void ignoresTimesThatCannotBe() {
    FakeAgent agent = installation.agent("a-0").connect();
    submit(alice, submit("rnd-3", "r-0"));
    agent.awaitAssign("r-0");
    long epoch = agent.heard().getFirst().getWelcome().getLeadership().getEpoch();
    for (long seconds : List.of(Long.MAX_VALUE, Long.MIN_VALUE, 400_000_000_000L)) {
      agent.report(
          "r-0",
          report ->
              report
                  .setState(State.STATE_STOPPING)
                  .setStartTime(Timestamp.newBuilder().setSeconds(seconds))
                  .setEndTime(Timestamp.newBuilder().setSeconds(seconds).setNanos(-1))
                  .setStopPhase("callback" + Math.abs(seconds % 10))
                  .setStopPhaseResult("ok")
                  .setStopPhaseDuration(Duration.newBuilder().setSeconds(seconds)));
    }
    agent.awaitAcknowledged();
    agent.exits("r-0", 0);
    awaitState(alice, "r-0", Job.State.STATE_DONE);
    assertThat(installation.service().isLeading()).isTrue();
    assertThat(agent.heard().getFirst().getWelcome().getLeadership().getEpoch()).isEqualTo(epoch);
  }

  @Test
  void answersHeartbeats() {
    FakeAgent agent = installation.agent("a-0").connect();
    agent.heartbeat();
    FakeAgent.awaitThat(() -> agent.has(ConnectResponse::hasHeartbeatReply));
  }

  @Test
  void sendsAnAgentAwayThatHasObeyedALaterLeader() {
    FakeAgent agent = installation.agent("a-0").connect();
    Leadership own = agent.heard().getFirst().getWelcome().getLeadership();
    agent.disconnect();
    agent.open(agent.hello().setHighestObeyed(own.toBuilder().setEpoch(own.getEpoch() + 1)));
    FakeAgent.awaitThat(() -> agent.has(ConnectResponse::hasNotLeader));
    assertThat(agent.has(ConnectResponse::hasWelcome)).isFalse();
  }

  @Test
  void stopsWhatIsNotTheNodesOwn() {
    FakeAgent agent = installation.agent("a-0").connect();
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    installation.neighbours.register(node("b-0", "onprem", 4));
    FakeAgent evil = installation.agent("b-0").connect();
    AttemptReport ended =
        AttemptReport.newBuilder()
            .setJob(ACME + "/jobs/r-0")
            .setAttempt(1)
            .setState(State.STATE_ENDED)
            .setEndReason(EndReason.END_REASON_EXITED)
            .setExitCode(0)
            .build();
    // Reports about another node's attempt, another attempt or an unknown job change nothing.
    evil.say(ended);
    evil.say(ended.toBuilder().setState(State.STATE_RUNNING).build());
    evil.say(ended.toBuilder().setAttempt(2).setState(State.STATE_RUNNING).build());
    evil.say(ended.toBuilder().setJob(ACME + "/jobs/nobody").setState(State.STATE_RUNNING).build());
    evil.say(
        ended.toBuilder()
            .setJob("tenants/umbrella/jobs/r-0")
            .setState(State.STATE_RUNNING)
            .build());
    FakeAgent.awaitThat(() -> evil.stops().size() >= 4);
    assertThat(evil.stops()).allMatch(stop -> stop.getKind() == Stop.Kind.KIND_ORPHAN);
    assertThat(get(alice, "r-0").getState()).isEqualTo(Job.State.STATE_RUNNING);
    assertThat(agent.stops()).isEmpty();
  }

  /// Plays several seeds, or the one that `-Dheadgate.seed=N` names.
  @Test
  void repeatedAndReorderedReportsHaveTheSameResult() {
    FakeAgent agent = installation.agent("a-0").connect().slowToStart();
    long only = Long.getLong("headgate.seed", -1);
    LongStream seeds = only < 0 ? LongStream.range(0, SEEDS) : LongStream.of(only);
    seeds.forEach(seed -> {
      try {
        leadsToTheSame(agent, seed);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("-Dheadgate.seed=" + seed, e);
      }
    });
    agent.awaitAcknowledged();
  }

  private void leadsToTheSame(FakeAgent agent, long seed) {
    Random random = new Random(seed);
    String job = "r-" + seed;
    submit(alice, submit("rnd-3", job));
    agent.awaitAssign(job);
    boolean fails = random.nextBoolean();
    agent.holdingBack(() -> {
      agent.running(job);
      agent.exits(job, fails ? 1 : 0);
    });
    // The updates of earlier jobs come once more too.
    List<Update> said = new ArrayList<>(agent.spoken());
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      Collections.shuffle(said, random);
      agent.repeatEverything(said);
    }
    Job over = awaitState(alice, job, fails ? Job.State.STATE_FAILED : Job.State.STATE_DONE);
    assertThat(over.getAttempt()).isEqualTo(1);
    assertThat(agent.stops()).isEmpty();
  }

  @Test
  void sendsAnAssignmentAgainThatNeverCameThrough() {
    FakeAgent agent = installation.agent("a-0").connect();
    agent.deaf();
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_ASSIGNED);
    agent.disconnect();
    agent.hearing().connect();
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    assertThat(get(alice, "r-0").getAttempt()).isEqualTo(1);
    assertThat(agent.begun()).containsEntry("r-0#1", 1);
  }

  @Test
  void asksForProofWhenAMachineForgetsWhatItRan() {
    FakeAgent agent = installation.agent("a-0").connect();
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    agent.disconnect();
    // The same boot: only a stop of an attempt that it does not know proves that it is gone.
    agent.forgetful().connect();
    agent.awaitStop("r-0");
    FakeAgent.awaitThat(() -> get(alice, "r-0").getAttempt() == 2);
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
  }

  /// Reports on an ended attempt do not move the next attempt.
  @Test
  void reportsOnAnEarlierAttemptFromAnEarlierStreamChangeNothing() {
    FakeAgent agent = installation.agent("a-0").connect();
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    List<Update> said = agent.spoken();
    agent.disconnect();
    agent.forgetful().restarted().connect();
    FakeAgent.awaitThat(() -> get(alice, "r-0").getAttempt() == 2);
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    agent.abandoned();
    agent.repeatEverything(said);
    agent.say(
        said.getLast().getReport().toBuilder()
            .setState(State.STATE_ENDED)
            .setEndReason(EndReason.END_REASON_EXITED)
            .setExitCode(0)
            .build());
    agent.exits("r-0", 7);
    Job failed = awaitState(alice, "r-0", Job.State.STATE_FAILED);
    assertThat(failed.getAttempt()).isEqualTo(2);
    assertThat(failed.getExitCode()).isEqualTo(7);
  }

  @Test
  void takesAHelloOfAnotherBootForNoProof() {
    FakeAgent agent = installation.agent("a-0").connect();
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    // It was sent before the boot that runs the job, and was held up on its way.
    FakeAgent late = installation.agent("a-0").reinstalled().abandoned().connect();
    isRefused(agent, "SESSION_REPLACED");
    late.awaitStop("r-0");
    agent.connect();
    agent.awaitRunning(alice, "r-0");
    assertThat(get(alice, "r-0").getAttempt()).isEqualTo(1);
  }

  @Test
  void suspectsASilentNodeAndLetsItsJobsRunOn() {
    installation.close();
    start(config -> config.with(Installation.SUSPICIOUS));
    FakeAgent agent = installation.agent("a-0").connect();
    submit(alice, submit("rnd-3", "r-0"));
    agent.awaitRunning(alice, "r-0");
    FakeAgent.awaitThat(() -> contact() == NodeUsage.Contact.CONTACT_SUSPECT);
    submit(alice, submit("rnd-3", "r-1"));
    assertThat(get(alice, "r-1").getState()).isEqualTo(Job.State.STATE_WAITING);
    assertThat(get(alice, "r-0").getState()).isEqualTo(Job.State.STATE_RUNNING);
    agent.awaitRunning(alice, "r-1");
  }

  @Test
  void letsANewStreamTakeOverFromAnOldOne() {
    FakeAgent old = installation.agent("a-0").connect();
    FakeAgent young = installation.agent("a-0").connect();
    isRefused(old, "SESSION_REPLACED");
    submit(alice, submit("rnd-3", "r-0"));
    young.awaitAssign("r-0");
  }

  @Test
  void saysWhyANodeIsSetAsideUntilAnOperatorPutsItIntoService() {
    FakeAgent agent = installation.agent("a-0").slowToStart().connect();
    for (String job : List.of("r-0", "r-1", "r-2")) {
      submit(alice, submit("rnd-1", job));
      agent.awaitAssign(job);
      agent.ends(job, EndReason.END_REASON_REJECTED);
      awaitState(alice, job, Job.State.STATE_WAITING);
      assertThat(get(alice, job).getReason().getCode()).isEqualTo("BACKOFF");
    }
    Event last =
        alice
            .listEvents(ListEventsRequest.newBuilder().setParent(ACME).build())
            .getEventsList()
            .stream()
            .filter(event -> event.getJob().isEmpty())
            .findFirst()
            .orElseThrow();
    assertThat(last.getType()).isEqualTo(Event.Type.TYPE_NODE_SET_ASIDE);
    assertThat(last.getMessage())
        .contains("a-0 gets no work until")
        .endsWith("it rejected 3 jobs of 1 user");
    NodeUsage usage = usages().getFirst();
    assertThat(usage.getContact()).isEqualTo(NodeUsage.Contact.CONTACT_CONNECTED);
    assertThat(usage.hasSetAsideUntil()).isTrue();
    assertThat(usage.getSetAsideReason()).isEqualTo("it rejected 3 jobs of 1 user");
    submit(alice, submit("rnd-1", "r-3"));
    assertThat(get(alice, "r-3").getReason().getCode()).isEqualTo("NODES_SET_ASIDE");

    installation.neighbours.register(
        node("a-0", "onprem", 10).toBuilder()
            .setUndrainTime(Timestamp.newBuilder().setSeconds(1))
            .build());
    agent.awaitAssign("r-3");
    assertThat(usages().getFirst().hasSetAsideUntil()).isFalse();
  }

  @Test
  void aNodeInQuarantineGetsNoJobAndNoSecretUntilItIsApproved() {
    FakeAgent agent = installation.agent("a-0").slowToStart().connect();
    Node approved = node("a-0", "onprem", 10);
    installation.neighbours.register(
        approved.toBuilder()
            .setState(Node.State.STATE_QUARANTINED)
            .setQuarantine(Quarantine.newBuilder().setReason("it reports 256 GPUs"))
            .build());
    SubmitJobRequest asked = submit("rnd-1", "r-0").toBuilder().setValidateOnly(true).build();
    FakeAgent.awaitThat(() -> alice.submitJob(asked).hasReason());
    submit(alice, submit("rnd-1", "r-0"));
    assertThat(get(alice, "r-0").getState()).isEqualTo(Job.State.STATE_WAITING);
    assertThat(agent.assigns()).isEmpty();

    installation.neighbours.register(approved);
    agent.awaitAssign("r-0");
  }

  private NodeUsage.Contact contact() {
    return usages().getFirst().getContact();
  }

  private List<NodeUsage> usages() {
    return installation
        .usage(installation.tokens.member("acme", "alice"))
        .listNodeUsages(ListNodeUsagesRequest.newBuilder().setParent(ACME).build())
        .getUsagesList();
  }

  private boolean takes(SubmitJobRequest job) {
    try {
      return alice.submitJob(job.toBuilder().setValidateOnly(true).build()).hasSpec();
    } catch (StatusRuntimeException e) {
      return false;
    }
  }
}

package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.poolId;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The consequences when nodes reject jobs: the job pauses, and a node is set aside only on the
/// evidence of several users.
class RejectionTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static Driver twoNodes() {
    return new Driver(
            new TenantBuilder()
                .pool("pool")
                .profile("p", "1", "pool")
                .policy("team", "100", "100")
                .queue("q", "team", "p", 1))
        .join(Driver.node("n1", "pool", 1), Driver.node("n2", "pool", 1));
  }

  private static void submit(Driver it, String user, String... jobs) {
    for (String job : jobs) {
      it.submit(it.spec(job, "q", user, 0, Optional.empty()));
    }
  }

  private static void reject(Driver it, String job) {
    it.decide(new Input.WorkerRejected(it.attemptId(job), 0, "malformed"));
  }

  private static void start(Driver it, String job) {
    it.decide(new Input.WorkerStarted(it.attemptId(job), 0, it.now));
  }

  private static String nodeOf(Driver it, String job) {
    return it.core
        .attempt(it.id(job))
        .orElseThrow()
        .assignment()
        .workers()
        .getFirst()
        .node()
        .name();
  }

  private static Optional<Instant> aside(Driver it, String node) {
    return it.core.state().setAside().stream()
        .filter(each -> each.node().name().equals(node))
        .findFirst()
        .flatMap(SchedulerState.SetAside::until);
  }

  @Test
  void fourteenPoisonedJobsOfOneUserStopNoNodeForAnother() {
    Driver it = twoNodes();
    String[] poison = new String[14];
    for (int i = 0; i < poison.length; i++) {
      poison[i] = "poison" + i;
    }
    submit(it, "mallory", poison);
    submit(it, "ada", "honest1", "honest2");

    // Every poisoned job is rejected as soon as it has a place, as the agents did.
    int rejections = 0;
    while (!it.in(JobState.ASSIGNED).isEmpty()
        && it.in(JobState.ASSIGNED).stream().anyMatch(job -> job.startsWith("poison"))) {
      for (String job : it.in(JobState.ASSIGNED)) {
        if (job.startsWith("poison")) {
          reject(it, job);
          rejections++;
        }
      }
    }

    assertThat(rejections).as("each was tried once").isEqualTo(14);
    assertThat(it.in(JobState.ASSIGNED)).containsExactlyInAnyOrder("honest1", "honest2");
    assertThat(aside(it, "n1")).isEmpty();
    assertThat(aside(it, "n2")).isEmpty();
  }

  @Test
  void pausesARejectedJobTwiceAsLongEachTimeAndLetsTheNextGoFirst() {
    Driver it = twoNodes();
    it.decide(new Input.NodeRemoved(new NodeId(TenantBuilder.ACME, "n2")));
    submit(it, "ada", "a", "b");
    reject(it, "a");

    assertThat(it.in(JobState.ASSIGNED)).containsExactly("b");
    assertThat(it.reason("a"))
        .isEqualTo(
            new Reason.BackingOff(new NodeId(TenantBuilder.ACME, "n1"), 1, it.now.plusSeconds(10)));
    assertThat(it.wakeAt).contains(it.now.plusSeconds(10));

    it.run().exit("b", 0).pass();
    assertThat(it.state("a")).isEqualTo(JobState.WAITING);
    it.after(Duration.ofSeconds(10)).pass();
    assertThat(it.attemptId("a").number()).isEqualTo(2);
    reject(it, "a");
    assertThat(it.wakeAt).contains(it.now.plusSeconds(20));

    it.after(Duration.ofSeconds(20)).pass().run();
    assertThat(it.core.state().backOffs()).as("a start clears its record").isEmpty();
  }

  /// A worker that starts proves nothing while another worker of the same attempt is rejected.
  @Test
  void aGangPausesLongerEachTimeAlthoughOneOfItsWorkersStarts() {
    Driver it =
        new Driver(
                new TenantBuilder()
                    .pool("pool")
                    .profile("gang", "1", 2, 0, "pool")
                    .policy("team", "100", "100")
                    .queue("q", "team", "gang", 1))
            .join(Driver.node("n1", "pool", 1), Driver.node("n2", "pool", 1));
    submit(it, "ada", "a");

    it.decide(new Input.WorkerRejected(it.attemptId("a"), 1, "malformed"));
    start(it, "a");
    it.decide(new Input.WorkerStopped(it.attemptId("a"), 0));
    assertThat(it.wakeAt).contains(it.now.plusSeconds(10));

    it.after(Duration.ofSeconds(10)).pass();
    start(it, "a");
    it.decide(new Input.WorkerRejected(it.attemptId("a"), 1, "malformed"));
    it.decide(new Input.WorkerStopped(it.attemptId("a"), 0));
    assertThat(it.wakeAt).contains(it.now.plusSeconds(20));
  }

  @Test
  void setsANodeAsideThatRejectsJobsOfTwoUsersAndTriesItAgainLater() {
    Driver it = twoNodes();
    it.decide(new Input.NodeRemoved(new NodeId(TenantBuilder.ACME, "n2")));
    submit(it, "ada", "a");
    submit(it, "bob", "b");
    submit(it, "cyd", "c");
    reject(it, "a");
    assertThat(aside(it, "n1")).isEmpty();
    reject(it, "b");

    assertThat(aside(it, "n1")).contains(it.now.plusSeconds(10));
    assertThat(it.reason("c"))
        .isEqualTo(
            new Reason.SetAside(
                poolId("pool"),
                GpuQuantity.ONE,
                new NodeId(TenantBuilder.ACME, "n1"),
                1,
                it.now.plusSeconds(10)));

    it.after(Duration.ofSeconds(10)).pass();
    assertThat(aside(it, "n1")).isEmpty();
    String next = it.in(JobState.ASSIGNED).iterator().next();
    reject(it, next);
    assertThat(aside(it, "n1")).as("twice as long").contains(it.now.plusSeconds(20));
  }

  @Test
  void anOperatorsWordGivesANodeThatIsSetAsideBackAtOnce() {
    Driver it = twoNodes();
    it.decide(new Input.NodeRemoved(new NodeId(TenantBuilder.ACME, "n2")));
    submit(it, "ada", "a");
    submit(it, "bob", "b");
    submit(it, "cyd", "c");
    reject(it, "a");
    reject(it, "b");
    assertThat(it.in(JobState.ASSIGNED)).isEmpty();

    it.decide(new Input.NodeCleared(new NodeId(TenantBuilder.ACME, "n1")));
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("c");
  }

  @Test
  void oneUsersJobsSetANodeAsideOnlyAsLongAsNoOtherUserNeedsIt() {
    Driver it = twoNodes();
    submit(it, "ada", "a", "b", "c", "d");
    String bad = nodeOf(it, "a");
    String good = nodeOf(it, "b");
    start(it, "b");
    for (String job : new String[] {"a", "c"}) {
      assertThat(nodeOf(it, job)).isEqualTo(bad);
      reject(it, job);
    }
    assertThat(aside(it, bad)).as("two jobs prove nothing").isEmpty();
    reject(it, "d");
    assertThat(aside(it, bad)).as("her other jobs go elsewhere").contains(it.now.plusSeconds(10));

    it.after(SECOND);
    submit(it, "bob", "e");
    assertThat(nodeOf(it, "e")).as("whose job may go there").isEqualTo(bad);
    assertThat(aside(it, bad)).isEmpty();
    assertThat(nodeOf(it, "b")).isEqualTo(good);

    start(it, "e");
    assertThat(it.core.state().setAside()).as("it accepts: the evidence is refuted").isEmpty();
  }

  @Test
  void aNodeThatLostContactBeforeItHeardOfAJobRejectedNothing() {
    Driver it = twoNodes();
    submit(it, "ada", "a");
    int before = it.attemptId("a").number();
    it.decide(new Input.WorkerUndelivered(it.attemptId("a"), 0, "lost contact"));

    assertThat(it.attemptId("a").number()).as("it tries again at once").isEqualTo(before + 1);
    assertThat(it.core.state().setAside()).isEmpty();
  }
}

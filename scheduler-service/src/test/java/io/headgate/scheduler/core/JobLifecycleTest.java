package io.headgate.scheduler.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobLifecycle;
import io.headgate.scheduler.core.job.JobLifecycle.Transition;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.NodeStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// The table of the job's life: every pair of state and event, every transition really taken, and
/// the diagram in docs/reference, which is written by `-Dheadgate.write-diagram=true` and compared
/// otherwise.
class JobLifecycleTest {
  private static final Path PAGE = Path.of("../docs/reference/job-lifecycle.md");
  private static final String BEGIN = "<!-- job-lifecycle: written by JobLifecycleTest -->";
  private static final String END = "<!-- /job-lifecycle -->";

  private static TenantBuilder tenant() {
    return new TenantBuilder()
        .pool("pool")
        .profile("one", "1", "pool")
        .policy("keeps", "0", "4")
        .policy("cancels", "0", "4")
        .cancels("cancels")
        .policy("owner", "4", "4")
        .queue("q", "keeps", "one", 1)
        .queue("c", "cancels", "one", 1)
        .queue("o", "owner", "one", 1);
  }

  private static Driver driver() {
    return new Driver(tenant()).join(Driver.node("n", "pool", 1));
  }

  private static Input.WorkerLost lost(Driver it, String job) {
    return new Input.WorkerLost(it.attemptId(job), 0);
  }

  private static Input.WorkerRejected rejected(Driver it, String job) {
    return new Input.WorkerRejected(it.attemptId(job), 0, "no");
  }

  private static Input.WorkerStopped stopped(Driver it, String job) {
    return new Input.WorkerStopped(it.attemptId(job), 0);
  }

  private static Driver kept(Driver it) {
    return it.submit(it.keeping("a", "q")).run().submit("o", "b").suspended("a");
  }

  /// Stories that together take every transition.
  private static List<Consumer<Driver>> stories() {
    return List.of(
        it -> it.submit("q", "a").run().exit("a", 0).requeue("a").run().exit("a", 1).requeue("a"),
        it -> it.submit("q", "a").exit("a", 0),
        it -> it.submit("q", "a").exit("a", 1),
        it -> it.submit("q", "a", "b").cancel("b").requeue("b"),
        it -> it.submit("q", "a").decide(rejected(it, "a")),
        it -> it.submit("q", "a").decide(lost(it, "a")),
        it -> it.submit("q", "a").run().decide(lost(it, "a")),
        it -> it.submit("c", "a").decide(lost(it, "a")).requeue("a"),
        it -> it.submit("c", "a").run().decide(lost(it, "a")),
        it -> it.submit("c", "a").run().submit("o", "b").stopAll(),
        it -> it.submit("q", "a").run().submit("o", "b").stopAll(),
        it -> kept(it).exit("b", 0),
        it -> kept(it).cancel("a"),
        it -> kept(it).decide(lost(it, "a")),
        it -> kept(it).exit("a", 0),
        it -> kept(it).exit("a", 1),
        it -> it.submit("q", "a").cancel("a").decide(stopped(it, "a")),
        it -> it.submit("q", "a").run().cancel("a").exit("a", 0),
        it -> it.submit("q", "a").run().cancel("a").exit("a", 1),
        it -> it.submit("q", "a", "b").provision(tenant().withoutQueue("q")).cancel("b"),
        it ->
            it.submit("q", "a", "b")
                .provision(tenant().withoutQueue("q"))
                .provision(tenant())
                .requeue("b"),
        it -> it.submit("q", "a", "b").withdraw("b").requeue("b"),
        it -> it.submit("q", "a", "b").decide(new Input.JobUpdated(it.prior("b", "q", 1))),
        JobLifecycleTest::losesHalfAGang);
  }

  /// One worker of a gang is lost under a policy that cancels; the other is stopped.
  private static void losesHalfAGang(Driver it) {
    it.provision(tenant().profile("pair", "1", 2, 0, "pool").queue("p", "cancels", "pair", 1))
        .join(Driver.node("m", "pool", 1))
        .submit("p", "g")
        .run();
    AttemptId gang = it.attemptId("g");
    it.decide(new Input.WorkerLost(gang, 0)).decide(new Input.WorkerStopped(gang, 1));
  }

  @Test
  void takesEveryTransitionOfTheTable() {
    Set<List<Object>> taken = new HashSet<>();
    for (Consumer<Driver> story : stories()) {
      Driver it = driver();
      story.accept(it);
      for (Effect.JobChanged changed : it.effects(Effect.JobChanged.class)) {
        taken.add(List.of(changed.from(), changed.event(), changed.job().state()));
      }
    }
    Set<List<Object>> table = new HashSet<>();
    for (Transition row : JobLifecycle.TRANSITIONS) {
      table.add(List.of(row.from(), row.event(), row.to()));
    }
    assertThat(taken).isEqualTo(table);
  }

  @Test
  void leadsFromEveryStateByEveryEventWhereTheTableSays() {
    for (JobState from : JobState.values()) {
      for (JobEvent event : JobEvent.values()) {
        List<Transition> rows =
            JobLifecycle.TRANSITIONS.stream()
                .filter(row -> row.from().equals(Optional.of(from)) && row.event() == event)
                .toList();
        assertThat(rows).as("%s %s", from, event).hasSizeLessThanOrEqualTo(1);
        assertThat(JobLifecycle.next(from, event))
            .isEqualTo(rows.stream().findAny().map(Transition::to));
      }
    }
  }

  @Test
  void leavesEndedJobsOnlyByRequeue() {
    for (JobState state : JobState.values()) {
      if (state.isTerminal()) {
        for (JobEvent event : JobEvent.values()) {
          assertThat(JobLifecycle.next(state, event).isPresent())
              .isEqualTo(event == JobEvent.REQUEUE);
        }
      }
    }
  }

  @Test
  void isDrawnInTheReference() throws IOException {
    String page = Files.readString(PAGE, UTF_8);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    assertThat(end).as("markers in %s", PAGE.toAbsolutePath()).isGreaterThan(begin);
    String drawn = page.substring(0, begin) + "\n" + diagram() + page.substring(end);
    if (Boolean.getBoolean("headgate.write-diagram")) {
      Files.writeString(PAGE, drawn, UTF_8);
    } else {
      assertThat(page).isEqualTo(drawn);
    }
  }

  private static String diagram() {
    Map<String, List<String>> labels = new TreeMap<>();
    for (Transition row : JobLifecycle.TRANSITIONS) {
      String arrow = row.from().map(JobState::name).orElse("[*]") + " --> " + row.to();
      labels
          .computeIfAbsent(arrow, key -> new ArrayList<>())
          .add(row.event() + " (" + row.meaning() + ")");
    }
    StringBuilder text = new StringBuilder("```mermaid\nstateDiagram-v2\n");
    labels.forEach((arrow, events) ->
        text.append("  ")
            .append(arrow)
            .append(": ")
            .append(String.join("<br>", events))
            .append('\n'));
    return text.append("```\n").toString();
  }

  @Test
  void aJobWhoseRightIsGoneWaitsNoMoreButRunsOn() {
    Driver it = driver().submit("q", "a", "b").run().withdraw("a").withdraw("b");
    assertThat(it.state("a")).isEqualTo(JobState.RUNNING);
    assertThat(it.state("b")).isEqualTo(JobState.DRAFT);
    it.exit("a", 0);
    assertThat(it.state("b"))
        .as("does not start in the room that is free")
        .isEqualTo(JobState.DRAFT);
  }

  @Test
  void aStoppedJobWhoseRightIsGoneDoesNotStartAgain() {
    Driver it = driver().submit("q", "a").run().requeue("a");
    it.decide(new Input.WorkerStopped(it.attemptId("a"), 0), new Input.JobWithdrawn(it.id("a")));
    assertThat(it.state("a")).isEqualTo(JobState.DRAFT);
  }

  @Test
  void whatIsHeldForAJobIsFreeWhenItsRightIsGone() {
    Driver it = driver().submit("q", "a").run().submit("o", "b").withdraw("b");
    assertThat(it.state("b")).isEqualTo(JobState.DRAFT);
    assertThat(it.core.state().holds()).isEmpty();
  }

  @Test
  void saysWhyAnEventCannotHappen() {
    Driver it = driver();
    it.submit("q", "a").run().exit("a", 0).cancel("a");
    assertThat(it.denial()).hasToString("WrongState[job=1, state=DONE, event=CANCEL]");
    it.submit("q", "b").requeue("b").requeue("b");
    assertThat(it.refusals).hasSize(1);
    it.join(Driver.node("n", "pool", 1, 1000, NodeStatus.DRAINING)).submit("q", "w").requeue("w");
    assertThat(it.denial()).hasToString("WrongState[job=3, state=WAITING, event=REQUEUE]");
  }
}

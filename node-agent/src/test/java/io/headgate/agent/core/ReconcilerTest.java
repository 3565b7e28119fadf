package io.headgate.agent.core;

import static io.headgate.agent.core.Fixtures.LEADER;
import static io.headgate.agent.core.Fixtures.NOW;
import static io.headgate.agent.core.Fixtures.assignment;
import static io.headgate.agent.core.Fixtures.key;
import static io.headgate.agent.core.Fixtures.slice;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/// The effects of each input.
class ReconcilerTest {
  private static final StopOrder PREEMPT = new StopOrder(StopOrder.Kind.PREEMPT, false);

  private final Reconciler reconciler =
      new Reconciler(List.of(Fixtures.device(0), Fixtures.device(1)));

  private List<Effect> assign(Assignment assignment) {
    return reconciler.on(new Input.Assigned(LEADER, assignment, NOW));
  }

  private List<Effect> stop(String job) {
    return reconciler.on(new Input.StopOrdered(LEADER, key(job), PREEMPT, NOW));
  }

  private List<Effect> observe(String job, Observation seen) {
    return reconciler.on(new Input.Observed(key(job), seen, Optional.empty()));
  }

  private List<Effect> released(String job) {
    return reconciler.on(new Input.Released(key(job), Duration.ofMillis(3)));
  }

  private AttemptReport report(String job) {
    return reconciler.reports().stream()
        .filter(report -> report.key().equals(key(job)))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> names(List<Effect> effects) {
    return effects.stream()
        .map(effect ->
            effect instanceof Effect.Report(AttemptReport report)
                ? "Report " + report.state() + step(report)
                : effect.getClass().getSimpleName())
        .toList();
  }

  private static String step(AttemptReport report) {
    return report
        .step()
        .map(step -> " " + step.phase() + step.result().map(result -> " " + result).orElse(""))
        .orElse("");
  }

  @Test
  void recordsBeforeItStarts() {
    Assignment assignment = assignment("a", slice(0, "1/2"));

    assertThat(assign(assignment))
        .containsExactly(
            new Effect.RecordLeadership(new LeadershipHistory(Optional.of(LEADER), List.of())),
            new Effect.RecordAssignment(assignment),
            new Effect.Start(assignment));
    assertThat(names(assign(assignment))).containsExactly("Report STARTING");
  }

  @Test
  void tellsOfALifeInOrder() {
    assign(assignment("a"));

    assertThat(names(observe("a", Fixtures.running()))).containsExactly("Report RUNNING");
    assertThat(names(observe("a", Fixtures.running()))).isEmpty();
    assertThat(names(observe("a", Fixtures.exited(3)))).containsExactly("Release");
    assertThat(names(observe("a", Fixtures.exited(3)))).isEmpty();
    assertThat(report("a").end()).as("its slices are not free yet").isEmpty();
    assertThat(names(released("a"))).containsExactly("RecordEnd", "Report ENDED");
    assertThat(report("a").end().orElseThrow().exitCode()).hasValue(3);
    assertThat(names(reconciler.on(new Input.Forgotten(key("a"))))).containsExactly("Forget");
    assertThat(reconciler.reports()).isEmpty();
  }

  @Test
  void doesNotBlameAJobThatEndsBeforeItCouldGoOn() {
    assign(assignment("a"));
    observe("a", Fixtures.running());
    stop("a");
    reconciler.on(new Input.Suspended(key("a"), 7, Duration.ZERO));
    reconciler.on(new Input.ResumeOrdered(LEADER, key("a"), NOW));

    observe("a", Fixtures.exited(1));
    released("a");
    assertThat(report("a").end().orElseThrow().reason()).isEqualTo(EndReason.STOPPED);
    assertThat(report("a").end().orElseThrow().exitCode()).hasValue(1);
  }

  @Test
  void doesNotBlameAJobThatEndsBeforeALaterAgentCouldHaveItGoOn() {
    for (String job : List.of("before", "after")) {
      Input.Found found =
          new Input.Found(
              key(job),
              Optional.of(assignment(job)),
              true,
              0,
              Optional.empty(),
              Optional.of(Fixtures.running()),
              NOW);
      reconciler.on(new Input.Recovered(LeadershipHistory.NONE, List.of(found)));
    }
    observe("before", Fixtures.running());
    assertThat(report("before").state()).isEqualTo(AttemptState.STARTING);
    reconciler.on(new Input.Resumed(key("after")));
    assertThat(report("after").state()).isEqualTo(AttemptState.RUNNING);

    for (String job : List.of("before", "after")) {
      observe(job, Fixtures.exited(1));
      released(job);
    }
    assertThat(report("before").end().orElseThrow().reason()).isEqualTo(EndReason.STOPPED);
    assertThat(report("after").end().orElseThrow().reason()).isEqualTo(EndReason.EXITED);
  }

  @Test
  void tellsOfEachStepOfAStopOnceHoweverItIsObserved() {
    assign(assignment("a"));
    observe("a", Fixtures.running());

    assertThat(names(stop("a"))).containsExactly("SendStop", "Report STOPPING");
    assertThat(names(observe("a", Fixtures.terminating())))
        .containsExactly(
            "Report STOPPING CALLBACK", "Report STOPPING CALLBACK OK", "Report STOPPING TERM");
    assertThat(names(observe("a", Fixtures.preempted())))
        .containsExactly("Report STOPPING TERM OK", "Release");
    assertThat(names(released("a"))).containsExactly("RecordEnd", "Report ENDED CLEANUP OK");
  }

  @Test
  void stopsWhatHasNotStartedYet() {
    assign(assignment("a"));

    assertThat(names(stop("a"))).containsExactly("SendStop", "Report STOPPING");
    assertThat(
            names(reconciler.on(new Input.NotStarted(key("a"), EndReason.STOPPED, "in time", NOW))))
        .containsExactly("Release");
    released("a");
    assertThat(report("a").end().orElseThrow().reason()).isEqualTo(EndReason.STOPPED);
  }

  /// The scheduler may forget a job, and its name be given to another, while a machine is away.
  @Test
  void runsAnotherJobWithTheNameOfOneThatItStillKeeps() {
    AttemptKey old = key("a", "1-x");
    AttemptKey young = key("a", "2-y");
    assign(assignment(old));
    reconciler.on(new Input.Observed(old, Fixtures.exited(3), Optional.empty()));
    reconciler.on(new Input.Released(old, Duration.ZERO));

    assertThat(names(assign(assignment(young)))).containsExactly("RecordAssignment", "Start");
    assertThat(names(reconciler.on(new Input.StopOrdered(LEADER, old, PREEMPT, NOW))))
        .as("is not about the young one")
        .containsExactly("Report ENDED");
    assertThat(reconciler.on(new Input.Forgotten(old))).containsExactly(new Effect.Forget(old));
    assertThat(reconciler.reports()).extracting(AttemptReport::key).containsExactly(young);
  }

  @Test
  void goesByTheNameWhereAnOlderVersionHasNoUid() {
    AttemptKey unnamed = key("a");
    AttemptKey named = key("a", "1-x");
    assign(assignment(unnamed));
    assertThat(names(assign(assignment(named)))).containsExactly("Report STARTING");
    assertThat(names(reconciler.on(new Input.StopOrdered(LEADER, named, PREEMPT, NOW))))
        .containsExactly("SendStop", "Report STOPPING");
    assign(assignment(key("b", "2-y")));
    assertThat(names(stop("b"))).containsExactly("SendStop", "Report STOPPING");
    assertThat(reconciler.reports())
        .extracting(AttemptReport::key)
        .containsExactly(unnamed, key("b", "2-y"));
  }

  @Test
  void keepsATombstoneOfWhatItNeverHad() {
    assertThat(names(stop("a"))).containsExactly("RecordLeadership", "RecordEnd", "Report ENDED");
    assertThat(names(assign(assignment("a")))).containsExactly("Report ENDED");
    assertThat(report("a").end().orElseThrow().reason()).isEqualTo(EndReason.LOST);
  }

  @Test
  void keepsATombstoneOfWhatItRefused() {
    assign(assignment("a", slice(0, "1/2")));

    assertThat(names(assign(assignment("b", slice(0, "2/3")))))
        .containsExactly("RecordEnd", "Report ENDED");
    observe("a", Fixtures.exited(0));
    released("a");
    assertThat(names(assign(assignment("b", slice(0, "2/3")))))
        .as("the same command, though it would fit now")
        .containsExactly("Report ENDED");
    assertThat(names(assign(assignment("c", slice(0, "2/3"))))).contains("Start");
  }

  @Test
  void holdsSlicesUntilTheyAreReleased() {
    assign(assignment("a", slice(0, "1")));
    observe("a", Fixtures.exited(0));
    assertThat(names(assign(assignment("b", slice(0, "1"))))).doesNotContain("Start");
    released("a");
    assertThat(names(assign(assignment("c", slice(0, "1"))))).contains("Start");
  }

  @Test
  void obeysNoDeposedLeaderAndTellsItNothing() {
    assign(assignment("a"));
    Leadership older = new Leadership("i1", 4, "z");
    Leadership twin = new Leadership("i1", 5, "b");

    for (Leadership deposed : List.of(older, twin)) {
      assertThat(reconciler.on(new Input.Assigned(deposed, assignment("b"), NOW)))
          .containsExactly(new Effect.Refuse(deposed));
      assertThat(reconciler.on(new Input.StopOrdered(deposed, key("a"), PREEMPT, NOW)))
          .containsExactly(new Effect.Refuse(deposed));
      assertThat(reconciler.on(new Input.Welcomed(deposed)))
          .containsExactly(new Effect.Refuse(deposed));
    }
    assertThat(reconciler.reports()).hasSize(1);
  }

  @Test
  void killsWhatALostSupervisorLeftBeforeItFreesTheSlices() {
    Assignment assignment = assignment("a", slice(0, "1"));
    assign(assignment);
    observe("a", Fixtures.running());

    assertThat(
            reconciler.on(
                new Input.Vanished(key("a"), EndReason.LOST, "its supervisor was killed", NOW)))
        .containsExactly(new Effect.Release(assignment, true));
    released("a");
    assertThat(report("a").end().orElseThrow().reason()).isEqualTo(EndReason.LOST);
  }

  @Test
  void reportsNoRunOfAProgramThatCouldNotBeStarted() {
    assign(assignment("a"));
    Observation failed =
        new Observation(
            NOW,
            Optional.empty(),
            Optional.of(
                new Observation.Ending(
                    NOW, "start-failed", OptionalInt.empty(), Optional.of("no such program"))));

    assertThat(names(observe("a", failed))).containsExactly("Release");
    released("a");
    assertThat(report("a").started()).isEmpty();
    assertThat(report("a").end().orElseThrow().reason()).isEqualTo(EndReason.START_FAILED);
  }

  @Test
  void stopsWhatHasMoreThanItsSlicesAndSaysSoAtItsEnd() {
    assign(assignment("a"));
    observe("a", Fixtures.running());
    Input excess = new Input.OverLimit(key("a"), "it used 41 of 40");
    assertThat(names(reconciler.on(excess))).containsExactly("SendStop", "Report STOPPING");
    assertThat(names(reconciler.on(excess))).as("still").containsExactly("SendStop");
    observe("a", Fixtures.ended("over-limit", 137));
    assertThat(reconciler.on(excess)).as("nothing of it lives any more").isEmpty();
    released("a");

    assertThat(report("a").end())
        .hasValue(
            new AttemptReport.End(
                EndReason.LIMIT_EXCEEDED,
                OptionalInt.of(137),
                Optional.of("it used 41 of 40"),
                NOW.plusSeconds(13)));
    assertThat(reconciler.on(new Input.OverLimit(key("unknown"), "x"))).isEmpty();
  }

  @Test
  void saysWhatItStoppedAJobForEvenIfItWasStartedAgainSince() {
    assign(assignment("a"));
    observe("a", Fixtures.ended("over-limit", 137));
    released("a");
    assertThat(report("a").end().orElseThrow().error())
        .hasValue("it used more GPU memory than its slices have");
  }

  private static DeviceCondition failed(String cause) {
    return HealthRules.judge(List.of(new DeviceSign.Gone(cause)));
  }

  @Test
  void stopsWhatCannotGoOnWithItsDeviceAndTakesNothingNewThere() {
    assign(assignment("a", slice(0, "1/2")));
    assign(assignment("b", slice(1, "1")));
    assign(assignment("c"));
    observe("a", Fixtures.running());
    Input lost = new Input.DeviceJudged("SIM-0", failed("it is away"));
    assertThat(names(reconciler.on(lost))).containsExactly("SendStop", "Report STOPPING");
    assertThat(report("b").state()).isEqualTo(AttemptState.STARTING);
    assertThat(report("c").state()).isEqualTo(AttemptState.STARTING);
    observe("a", Fixtures.ended("device-failed", 143));
    released("a");
    String problem = "its GPU %s failed: it is away".formatted("SIM-0");
    assertThat(report("a").end().orElseThrow().reason()).isEqualTo(EndReason.DEVICE_FAILED);
    assertThat(report("a").end().orElseThrow().error()).hasValue(problem);

    assign(assignment("d", slice(0, "1/2")));
    assertThat(report("d").end().orElseThrow().reason()).isEqualTo(EndReason.REJECTED);
    assertThat(report("d").end().orElseThrow().error().orElseThrow())
        .endsWith("is unhealthy: it is away");
    reconciler.on(new Input.DeviceJudged("SIM-0", DeviceCondition.HEALTHY));
    assign(assignment("e", slice(0, "1/2")));
    assertThat(report("e").state()).isEqualTo(AttemptState.STARTING);
  }

  @Test
  void blamesADeviceForAJobThatItTookDownWithItAndNoneForWhatEndedWell() {
    for (String job : List.of("failed", "well")) {
      assign(assignment(job, slice(job.equals("well") ? 1 : 0, "1")));
      observe(job, Fixtures.ended("exited", job.equals("well") ? 0 : 1));
    }
    reconciler.on(new Input.DeviceJudged("SIM-0", failed("it is away")));
    reconciler.on(new Input.DeviceJudged("SIM-1", failed("it is away")));
    released("failed");
    released("well");
    assertThat(report("failed").end().orElseThrow().reason()).isEqualTo(EndReason.DEVICE_FAILED);
    assertThat(report("failed").end().orElseThrow().exitCode()).hasValue(1);
    assertThat(report("well").end().orElseThrow().reason()).isEqualTo(EndReason.EXITED);
  }

  @Test
  void letsGoOnWhatCanOnAnUnhealthyDevice() {
    assign(assignment("a", slice(0, "1/2")));
    DeviceCondition contained = HealthRules.judge(List.of(new DeviceSign.Xid(48)));
    assertThat(reconciler.on(new Input.DeviceJudged("SIM-0", contained))).isEmpty();
    assign(assignment("b", slice(0, "1/2")));
    assertThat(report("b").end().orElseThrow().reason()).isEqualTo(EndReason.REJECTED);
  }

  @Test
  void adoptsWhatItFindsAndTakesUpWhereTheLedgerEnds() {
    Input.Found found =
        new Input.Found(
            key("a"),
            Optional.of(assignment("a", slice(0, "1"))),
            true,
            0,
            Optional.empty(),
            Optional.empty(),
            NOW);
    LeadershipHistory history = new LeadershipHistory(Optional.of(LEADER), List.of());

    assertThat(names(reconciler.on(new Input.Recovered(history, List.of(found)))))
        .containsExactly("Start");
    assertThat(names(observe("a", Fixtures.terminating())))
        .as("only the last step: the scheduler may know the others")
        .containsExactly("Report RUNNING", "Report STOPPING TERM");
    assertThat(names(assign(assignment("b", slice(0, "1/7"))))).doesNotContain("Start");
  }

  @Test
  void givesUpWhatRanBeforeAReboot() {
    Input.Found lost =
        new Input.Found(
            key("a"),
            Optional.of(assignment("a", slice(0, "1"))),
            false,
            0,
            Optional.empty(),
            Optional.of(Fixtures.running()),
            NOW);
    Input.Found done =
        new Input.Found(
            key("b"),
            Optional.of(assignment("b", slice(1, "1"))),
            false,
            0,
            Optional.empty(),
            Optional.of(Fixtures.exited(7)),
            NOW);

    assertThat(
            names(reconciler.on(new Input.Recovered(LeadershipHistory.NONE, List.of(lost, done)))))
        .containsExactly("RecordEnd", "Report ENDED", "RecordEnd", "Report ENDED");
    assertThat(report("a").end().orElseThrow().reason()).isEqualTo(EndReason.LOST);
    assertThat(report("b").end().orElseThrow().exitCode()).hasValue(7);
    assertThat(names(assign(assignment("c", slice(0, "1"))))).contains("Start");
  }

  @Test
  void takesNothingOnWhileItClosesDown() {
    assign(assignment("a"));
    observe("a", Fixtures.running());

    assertThat(names(reconciler.on(new Input.ShutdownOrdered())))
        .containsExactly("SendStop", "Report STOPPING");
    assertThat(names(assign(assignment("b")))).containsExactly("RecordEnd", "Report ENDED");
    assertThat(report("b").end().orElseThrow().reason()).isEqualTo(EndReason.NODE_STOPPED);
  }
}

package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.core.Observation;
import io.headgate.agent.core.StopStep;
import io.headgate.agent.core.StopStep.Phase;
import io.headgate.agent.core.StopStep.Result;
import io.headgate.kit.testing.Needed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The promises of a supervisor about stopping: callback, SIGTERM, grace, SIGKILL, and nothing
/// left.
class SupervisorStopTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(200);

  /// The longest wait of a test; a shell must come up within it, on a busy machine too.
  private static final Duration BEARABLE = Duration.ofSeconds(5);

  /// A job that says when it runs and what signals it gets; on SIGTERM it ends with 7. Bash loses a
  /// trap that is due while it reads a `<(…)`, so that is read once, before.
  private static final String POLITE =
      """
      exec 9<> <(:)
      trap 'echo term; exit 7' TERM
      trap 'echo usr1; exit 0' USR1
      echo running
      while :; do read -t 0.02 -u 9; done
      """;

  private static final String STUBBORN = "trap '' TERM; " + POLITE.replaceFirst("trap.*TERM\n", "");

  @TempDir Path root;
  private SupervisedJob job;

  @BeforeEach
  void makeJob() throws IOException {
    job = new SupervisedJob(root);
  }

  @AfterEach
  void endJob() throws IOException {
    job.close();
  }

  @Test
  void runsTheCallbackInTheJobsOwnPlaceWhileItRunsAndThenTerminatesIt() throws Exception {
    job.callback(
            "echo callback $PWD $HEADGATE_JOB $HEADGATE_STOP_REASON; kill -0 $HEADGATE_JOB_PID")
        .run(POLITE);
    stop("preempted", LONG, LONG);
    Observation.Ending end = job.awaitEnd();

    assertThat(end.reason()).isEqualTo("preempted");
    assertThat(end.exitCode()).hasValue(7);
    assertThat(job.output())
        .isEqualTo("running\ncallback " + job.attempt + " tenants/t/jobs/j preempted\nterm\n");
    assertThat(outcomes())
        .containsExactly(outcome(Phase.CALLBACK, Result.OK), outcome(Phase.TERM, Result.OK));
  }

  @Test
  void runsWhatTheJobHasPutInItsPlaceWhenItWasSubmittedWithoutACallback() throws Exception {
    job.run(
        """
        printf '#!/bin/sh\necho saved $HEADGATE_STOP_REASON\n' > on-abort
        chmod 700 on-abort
        """
            + POLITE);
    job.awaitOutput("running");
    stop("preempted", LONG, LONG);
    job.awaitEnd();

    assertThat(job.output()).isEqualTo("running\nsaved preempted\nterm\n");
    assertThat(outcomes())
        .containsExactly(outcome(Phase.CALLBACK, Result.OK), outcome(Phase.TERM, Result.OK));
  }

  @Test
  void prefersTheCallbackThatTheJobWasSubmittedWith() throws Exception {
    job.callback("echo submitted")
        .run("printf '#!/bin/sh\necho put\n' > on-abort; chmod 700 on-abort; " + POLITE);
    job.awaitOutput("running");
    stop("preempted", LONG, LONG);
    job.awaitEnd();

    assertThat(job.output()).isEqualTo("running\nsubmitted\nterm\n");
  }

  @Test
  void takesNoLinkAndNothingThatIsNoProgramForACallback() throws Exception {
    job.run("ln -s /bin/true on-abort; " + POLITE);
    job.awaitOutput("running");
    stop("preempted", LONG, LONG);
    job.awaitEnd();

    assertThat(outcomes()).containsExactly(outcome(Phase.TERM, Result.OK));
  }

  @Test
  void killsWhatIgnoresSigtermAfterTheGrace() throws Exception {
    job.run(STUBBORN);
    stop("cancelled", LONG, SHORT);
    Observation.Ending end = job.awaitEnd();

    assertThat(end.exitCode()).hasValue(128 + 9);
    assertThat(end.reason()).isEqualTo("cancelled");
    assertThat(outcomes())
        .containsExactly(outcome(Phase.TERM, Result.TIMED_OUT), outcome(Phase.KILL, Result.OK));
  }

  @Test
  void givesTheWholeProcessGroupItsGraceAlsoWhenTheProgramEndsFirst() throws Exception {
    job.run(
        """
        exec 9<> <(:)
        (trap 'read -t 0.3 -u 9; echo saved; exit 0' TERM
         echo running; while :; do read -t 0.02 -u 9; done) &
        exec sleep 1000
        """);
    stop("preempted", LONG, LONG);

    assertThat(job.awaitEnd().exitCode()).hasValue(128 + 15);
    assertThat(job.output()).isEqualTo("running\nsaved\n");
    assertThat(outcomes()).containsExactly(outcome(Phase.TERM, Result.OK));
  }

  @Test
  void waitsForTheGroupNoLongerThanTheGrace() throws Exception {
    job.run("(trap '' TERM; echo running; exec sleep 1000) & exec sleep 1000");
    stop("preempted", LONG, SHORT);

    assertThat(job.awaitEnd().exitCode()).hasValue(128 + 15);
    assertThat(outcomes())
        .containsExactly(outcome(Phase.TERM, Result.TIMED_OUT), outcome(Phase.KILL, Result.OK));
  }

  @Test
  void tellsTheCallbackWhatNoJobCanForge() throws Exception {
    job.environment("HEADGATE_JOB_PID", "1")
        .environment("HEADGATE_STOP_REASON", "forged")
        .callback("env | grep -E '^HEADGATE_(JOB_PID|STOP_REASON)' | sort")
        .run(POLITE);
    stop("preempted", LONG, LONG);
    job.awaitEnd();

    assertThat(job.output())
        .contains(
            "HEADGATE_JOB_PID=%d\nHEADGATE_STOP_REASON=preempted\n"
                .formatted(job.status().jobPid()));
  }

  @Test
  void cutsOffACallbackThatTakesTooLongWithAllThatItStarted() throws Exception {
    job.callback("trap '' TERM; sleep 1000 & echo $! > child; wait").run(POLITE);
    stop("preempted", BEARABLE, LONG);

    assertThat(job.awaitEnd().exitCode()).hasValue(7);
    assertThat(outcomes())
        .containsExactly(outcome(Phase.CALLBACK, Result.TIMED_OUT), outcome(Phase.TERM, Result.OK));
    assertThat(SupervisorTest.isAlive(job.attempt.resolve("child"))).isFalse();
  }

  @Test
  void endsARunningCallbackWhenToldToSkipIt() throws Exception {
    job.callback("echo in callback; exec sleep 1000").run(POLITE);
    stop("preempted", LONG, LONG);
    job.awaitOutput("in callback");
    stop("preempted", LONG, LONG);
    assertThat(job.status().observation().stop().orElseThrow().termed()).isEmpty();
    stop("cancelled", Duration.ZERO, LONG);

    assertThat(job.awaitEnd().reason()).isEqualTo("preempted");
    assertThat(outcomes())
        .containsExactly(outcome(Phase.CALLBACK, Result.SKIPPED), outcome(Phase.TERM, Result.OK));
  }

  @Test
  void reportsAFailedCallbackAndGoesOn() throws Exception {
    job.callback("exit 9").run(POLITE);
    stop("preempted", LONG, LONG);

    assertThat(job.awaitEnd().exitCode()).hasValue(7);
    assertThat(outcomes())
        .containsExactly(outcome(Phase.CALLBACK, Result.FAILED), outcome(Phase.TERM, Result.OK));
    assertThat(stopProgress().callback().orElseThrow().exitCode()).hasValue(9);
  }

  @Test
  void letsTheCallbackFinishWhenTheJobEndsByItselfMeanwhile() throws Exception {
    job.callback(
            """
            kill -USR1 $HEADGATE_JOB_PID
            while kill -0 $HEADGATE_JOB_PID 2>/dev/null; do :; done
            echo saved
            """)
        .run(POLITE);
    stop("preempted", LONG, LONG);
    Observation.Ending end = job.awaitEnd();

    assertThat(end.exitCode()).hasValue(0);
    assertThat(end.reason()).isEqualTo("preempted");
    assertThat(job.output()).isEqualTo("running\nusr1\nsaved\n");
    assertThat(outcomes()).containsExactly(outcome(Phase.CALLBACK, Result.OK));
  }

  @Test
  void killOverridesACallback() throws Exception {
    job.callback("echo in callback; exec sleep 1000").run(POLITE);
    stop("preempted", LONG, LONG);
    job.awaitOutput("in callback");
    try (SupervisorLink link = job.link()) {
      link.kill("cancelled");
      assertThat(job.awaitEnd().exitCode()).hasValue(128 + 9);
    }
  }

  @Test
  void stopsAtTheTimeLimitWithTheCallbackAndCountsNoTimeForWhichItIsSuspended() throws Exception {
    Duration suspended = Duration.ofMillis(300);
    job.callback("echo checkpoint").timeLimit(BEARABLE).run(POLITE);
    Observation.Ending end;
    try (SupervisorLink link = job.link()) {
      link.limitTime(true);
      link.limitTime(false);
      // For longer than is asked for below, since the supervisor may hear of either late.
      await()
          .during(suspended.multipliedBy(2))
          .atMost(LONG)
          .until(() -> job.status().observation().ending().isEmpty());
      link.limitTime(true);
      end = job.awaitEnd();
    }

    assertThat(end.reason()).isEqualTo("time-limit");
    assertThat(end.exitCode()).hasValue(7);
    assertThat(job.output()).isEqualTo("running\ncheckpoint\nterm\n");
    assertThat(Duration.between(job.status().observation().started(), end.at()))
        .isGreaterThanOrEqualTo(BEARABLE.plus(suspended));
  }

  @Test
  void stopsByItselfWhenContactIsLost() throws Exception {
    job.callback("echo checkpoint").stopAfter(BEARABLE).run(POLITE);

    assertThat(job.awaitEnd().reason()).isEqualTo("stop-after");
    assertThat(job.output()).isEqualTo("running\ncheckpoint\nterm\n");
  }

  @Test
  void runsOnForAsLongAsContactIsRenewed() throws Exception {
    job.stopAfter(BEARABLE).run(POLITE);
    long started = BootClock.nowMs();
    try (SupervisorLink link = job.link()) {
      await()
          .atMost(SupervisedJob.PATIENCE)
          .pollInterval(Duration.ofMillis(50))
          .until(() -> {
            link.contact(BootClock.nowMs(), BEARABLE.dividedBy(4));
            return BootClock.nowMs() - started > 2 * BEARABLE.toMillis();
          });
      assertThat(job.status().observation().stop()).isEmpty();
      // A contact that lay in some buffer for long proves nothing about now.
      link.contact(started, Duration.ZERO);
      assertThat(job.awaitEnd().reason()).isEqualTo("stop-after");
    }
  }

  @Test
  void stopsWithTheCallbackWhenTheMachineShutsDown() throws Exception {
    job.callback("echo checkpoint").run(POLITE);
    job.awaitOutput("running");
    ProcessHandle.of(job.status().supervisorPid()).orElseThrow().destroy();

    assertThat(job.awaitEnd().reason()).isEqualTo("shutdown");
    assertThat(job.output()).isEqualTo("running\ncheckpoint\nterm\n");
  }

  @Test
  void countsAJobThatTheShutdownHitFirstAsStoppedByIt() throws Exception {
    job.run("echo running; exec sleep 1000");
    job.awaitOutput("running");
    // As an init system does: everything at once. While the supervisor stands still, both signals
    // and the job's end gather.
    long supervisor = job.status().supervisorPid();
    new ProcessBuilder(
            "bash",
            "-c",
            "kill -STOP $0; kill -TERM $0 $1; kill -CONT $0",
            Long.toString(supervisor),
            Long.toString(job.status().jobPid()))
        .start()
        .waitFor();

    assertThat(job.awaitEnd().reason()).isEqualTo("shutdown");
    assertThat(job.awaitEnd().exitCode()).hasValue(128 + 15);
  }

  @Test
  void wakesAStoppedJobSoThatItCanReactToSigterm() throws Exception {
    job.run(POLITE);
    job.awaitOutput("running");
    new ProcessBuilder("kill", "-STOP", Long.toString(job.status().jobPid())).start().waitFor();
    stop("preempted", LONG, LONG);

    assertThat(job.awaitEnd().exitCode()).hasValue(7);
  }

  @Test
  void killsEverythingInTheJobsCgroup() throws Exception {
    Cgroups cgroups = Cgroups.discover("test-" + ProcessHandle.current().pid());
    Needed.CGROUPS.demand(cgroups.areAvailable());
    Path cgroup = cgroups.make("killed").orElseThrow();
    try {
      job.cgroup(cgroup).run("trap '' TERM; cat /proc/self/cgroup; " + POLITE);
      stop("cancelled", LONG, SHORT);
      job.awaitEnd();

      assertThat(job.status().inCgroup()).isTrue();
      assertThat(job.output()).contains("/" + cgroup.getFileName());
      assertThat(cgroup.resolve("cgroup.procs")).as("the agent removes it").isEmptyFile();
    } finally {
      Files.deleteIfExists(cgroup);
      cgroups.removeIfEmpty();
    }
  }

  private void stop(String reason, Duration callback, Duration grace) throws IOException {
    job.awaitOutput("running");
    boolean first = job.status().observation().stop().isEmpty();
    try (SupervisorLink link = job.link()) {
      link.awaitChange(); // the state of things, told to every new client
      link.stop(reason, callback, grace);
      if (first || callback.isZero()) {
        link.awaitChange();
      }
    }
  }

  private Observation.StopProgress stopProgress() {
    return job.status().observation().stop().orElseThrow();
  }

  private record Outcome(Phase phase, Result result) {}

  private static Outcome outcome(Phase phase, Result result) {
    return new Outcome(phase, result);
  }

  private List<Outcome> outcomes() {
    return job.status().observation().steps().stream()
        .filter(step -> step.result().isPresent())
        .map(SupervisorStopTest::toOutcome)
        .toList();
  }

  private static Outcome toOutcome(StopStep step) {
    Optional<Result> result = step.result();
    return new Outcome(step.phase(), result.orElseThrow());
  }
}

package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.deploy.InstallationConfig;
import io.headgate.deploy.e2e.LiveCli.Result;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobState;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A sweep of an ML engineer: one element fails, is read and is run again.
@Timeout(240)
class ArraysIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path directory;
  private TestInstallation headgate;
  private LiveCli cli;

  @BeforeEach
  void start() throws Exception {
    headgate =
        TestInstallation.start(InstallationConfig.of(directory.resolve("data"), 0))
            .withConfiguration(
                """
                groups: [{name: team, users: [ada]}]
                pools: [{name: local, type: static}]
                profiles: [{name: cpu, gpus: 0, pools: [local]}]
                policies:
                  - {name: team, group: team, limit: 1, queues: [{name: cpu, profile: cpu}]}
                """)
            .withNode("n1", "local", "1xH100");
    cli = LiveCli.of(headgate);
  }

  @AfterEach
  void stop() {
    if (headgate != null) {
      headgate.close();
    }
  }

  private Result submit(String name, String array, String script, String... more) {
    String[] words = new String[more.length + 11];
    String[] first = {"submit", "-q", "cpu", "--name", name, "--array", array};
    String[] last = {"--", "/bin/sh", "-c", script};
    System.arraycopy(first, 0, words, 0, first.length);
    System.arraycopy(more, 0, words, first.length, more.length);
    System.arraycopy(last, 0, words, first.length + more.length, last.length);
    return cli.run(words);
  }

  private JobState state(String job) {
    return headgate.jobs().get(job).state();
  }

  @Test
  void theElementThatFailedIsNamedReadAndRunAgain() {
    Result submitted =
        submit(
            "sweep",
            "1-6%2",
            "echo $HEADGATE_ARRAY: $HEADGATE_INDEX of $HEADGATE_COUNT;"
                + " [ $HEADGATE_INDEX != 4 ] || [ $HEADGATE_ATTEMPT != 1 ] || exit 7");
    assertThat(submitted.exitCode()).as(submitted.err()).isZero();
    assertThat(submitted.out())
        .isEqualTo("sweep-1 submitted to cpu: 6 elements, at most 2 at a time\n");

    Result waited = cli.run("wait", "sweep-1");
    assertThat(waited.exitCode()).as(waited.err()).isEqualTo(7);
    assertThat(waited.err())
        .contains(
            "sweep-1 failed: 1 failed, 5 done",
            "failed: sweep-1.4 (exit 7)",
            "headgate requeue --array sweep-1 --state failed");

    assertThat(cli.run("jobs", "--all", "-o", "name").out()).isEqualTo("sweep-1\n");
    assertThat(cli.run("jobs").out()).contains("FAILED", "1 failed, 5 done");
    assertThat(cli.run("jobs", "--array", "sweep-1", "--sort", "job", "-o", "name").lines())
        .containsExactly(
            "sweep-1.1", "sweep-1.2", "sweep-1.3", "sweep-1.4", "sweep-1.5", "sweep-1.6");
    assertThat(cli.run("jobs", "--array", "sweep-1", "--state", "failed", "-o", "name").out())
        .isEqualTo("sweep-1.4\n");
    assertThat(cli.run("jobs", "sweep-1").out())
        .contains("6 elements, at most 2 at a time", "sweep-1.4 (exit 7)");
    assertThat(cli.run("jobs", "sweep-1.4").out()).contains("4 of 6 of sweep-1", "exit 7");
    assertThat(cli.run("logs", "sweep-1.4").out()).isEqualTo("sweep-1: 4 of 6\n");
    assertThat(cli.run("logs", "sweep-1").err())
        .contains("sweep-1 is an array", "sweep-1.4 failed: headgate logs sweep-1.4");
    assertThat(cli.run("explain", "sweep-1").out()).contains("1 failed");
    assertThat(mostAtATime()).isEqualTo(2);

    assertThat(cli.run("requeue", "--array", "sweep-1", "--state", "failed", "--yes").out())
        .isEqualTo("1 job requeued\n");
    assertThat(cli.run("wait", "sweep-1.4").exitCode()).as("the second time").isZero();
    assertThat(cli.run("wait", "sweep-1").exitCode()).isZero();
    assertThat(state("sweep-1")).isEqualTo(JobState.DONE);
    assertThat(headgate.jobs().get("sweep-1.4").attempts()).hasSize(2);
  }

  /// The largest number of elements whose attempts overlapped.
  private long mostAtATime() {
    var attempts =
        headgate.jobs().listAll(JobFilter.ALL.withArray("sweep-1")).stream()
            .map(job -> job.currentAttempt().orElseThrow())
            .toList();
    return attempts.stream()
        .mapToLong(one ->
            attempts.stream()
                .filter(other ->
                    !other.assignTime().isAfter(one.assignTime())
                        && other.endTime().isAfter(one.assignTime()))
                .count())
        .max()
        .orElse(0);
  }

  @Test
  void elementsAreCancelledBeforeTheirStartAndWithTheirArray() {
    submit("sweep", "5%1", "exec sleep 300");
    await().atMost(PATIENCE).until(() -> state("sweep-1.1") == JobState.RUNNING);

    assertThat(cli.run("jobs", "sweep-1.5").out()).contains("WAITING");
    assertThat(cli.run("cancel", "sweep-1.5").out()).startsWith("sweep-1.5 cancelled");
    assertThat(cli.run("explain", "sweep-1.3").out()).contains("MAX_PARALLEL");
    assertThat(cli.run("jobs", "--all").out()).contains("1 cancelled, 1 runs, 3 wait");

    Result cancelled = cli.run("cancel", "sweep-1", "--reason", "wrong data");
    assertThat(cancelled.exitCode()).as(cancelled.err()).isZero();
    Result waited = cli.run("wait", "sweep-1", "sweep-1.1", "sweep-1.3");
    assertThat(waited.exitCode()).isEqualTo(143);
    assertThat(state("sweep-1")).isEqualTo(JobState.CANCELLED);
    assertThat(state("sweep-1.3")).as("it never started").isEqualTo(JobState.CANCELLED);
    assertThat(cli.run("jobs", "sweep-1").out()).contains("3 never started", "wrong data");

    assertThat(cli.run("requeue", "sweep-1").exitCode()).isZero();
    assertThat(cli.run("wait", "sweep-1.2", "--for", "running").exitCode()).isZero();
    assertThat(state("sweep-1.1")).as("it had started").isEqualTo(JobState.CANCELLED);
  }

  @Test
  void aJobAfterAnArrayStartsOnceAllElementsAreDone() {
    submit("sweep", "3%1", "true", "--draft");
    Result report =
        cli.run("submit", "-q", "cpu", "--name", "report", "--after", "sweep-1", "--", "/bin/true");
    assertThat(report.exitCode()).as(report.err()).isZero();
    Job waits = headgate.jobs().get("report-1");
    assertThat(waits.state()).isEqualTo(JobState.WAITING);
    assertThat(waits.reason().code()).isEqualTo("AFTER_JOB");

    assertThat(cli.run("requeue", "sweep-1").exitCode()).as("a draft").isZero();
    assertThat(cli.run("wait", "report-1").exitCode()).isZero();
    assertThat(state("sweep-1")).isEqualTo(JobState.DONE);
    for (int number = 1; number <= 3; number++) {
      assertThat(headgate.jobs().get("sweep-1." + number).finishTime())
          .isBeforeOrEqualTo(headgate.jobs().get("report-1").startTime());
    }
  }

  @Test
  void submitFollowsTheProgressOfAnArray() {
    Result followed = submit("sweep", "3", "echo $HEADGATE_INDEX", "--follow");

    assertThat(followed.exitCode()).as(followed.err()).isZero();
    assertThat(followed.out()).as("of no element").isEmpty();
    assertThat(followed.err())
        .contains("sweep-1 is an array: its progress is shown", "sweep-1 done: 3 done");
  }

  @Test
  void namesOfOtherJobsAndOfNoJobsAreRefused() {
    cli.run("submit", "-q", "cpu", "--name", "one", "--", "/bin/true");
    submit("sweep", "2", "true");

    assertThat(cli.run("jobs", "--array", "one-1").err()).contains("one-1", "NOT_AN_ARRAY");
    assertThat(cli.run("jobs", "--array", "nothing-1").err()).contains("nothing-1");
    assertThat(cli.run("jobs", "sweep-1.3").err()).contains("sweep-1.3", "JOB_NOT_FOUND");
    assertThat(cli.run("cancel", "--array", "one-1", "--yes").exitCode()).isNotZero();
  }
}

package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.Reason;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Lists of jobs report mistyped names, show the user that cancelled, and mark what they leave out.
class JobListTest {
  private static final TestGate GATE = TestGate.open();

  @TempDir static Path home;

  @BeforeAll
  static void fill() {
    Fixtures.fill(GATE);
    GATE.jobs.put(
        Fixtures.job("old-1", "queue-that-was", Job.State.STATE_CANCELLED, "5m")
            .setGpus("15/2")
            .setReason(Reason.newBuilder().setCode("CANCELLED").setMessage("by grace: wrong data"))
            .build());
  }

  @AfterAll
  static void close() {
    GATE.close();
  }

  private static Result run(String... words) {
    return TestCli.at(GATE, home).run(words);
  }

  @Test
  void aNameThatNamesNothingIsNoEmptyList() {
    Golden.check("jobs-queue-mistyped", run("jobs", "--queue", "ai-dev-hlaf"));
    Golden.check("jobs-policy-mistyped", run("jobs", "-w", "--policy", "ai-deb"));
    Golden.check("jobs-user-mistyped", run("jobs", "--user", "ada,garce"));
  }

  @Test
  void aQueueThatIsGoneStillHasItsJobs() {
    assertThat(run("jobs", "--queue", "queue-that-was", "-o", "name").out()).isEqualTo("old-1\n");
    assertThat(run("jobs", "--queue", "research-half").exitCode()).isZero();
  }

  /// The letter means one thing in all commands.
  @Test
  void theLetterQIsTheQueueWhereverThereIsOne() {
    assertThat(run("jobs", "-q", "queue-that-was", "-o", "name").out()).isEqualTo("old-1\n");
    Result elsewhere = run("pools", "-q");
    assertThat(elsewhere.err()).contains("unknown flag -q", "for less output: --quiet");
    assertThat(elsewhere.exitCode()).isEqualTo(2);
  }

  @Test
  void whoCancelledAJobAndWhyStandsBesideIt() {
    assertThat(run("jobs", "--all", "--queue", "queue-that-was").out())
        .isEqualTo(
            """
            JOB    USER  QUEUE           STATE      GPUS   AGE  WHERE / REASON        START
            old-1  ada   queue-that-was  CANCELLED  7 1/2  5m   by grace: wrong data  -
            """);
  }

  @Test
  void whatIsFollowedEndsAfterAsManyLinesAsWereAskedFor() {
    assertThat(run("jobs", "-w", "--limit", "2", "-o", "name").out()).isEqualTo("big-1\ntrain-7\n");
    assertThat(run("jobs", "-w", "--limit", "1", "-o", "csv").out().lines())
        .satisfiesExactly(
            names -> assertThat(names).startsWith("job,user,queue,state"),
            row -> assertThat(row).startsWith("big-1,ada,ai-dev-eight,WAITING"));
    assertThat(run("queues", "-w", "--limit", "1").out().lines()).hasSize(1);
    assertThat(run("jobs", "-w", "-o", "yaml").err()).contains("BAD_OUTPUT_FORM", "-o jsonl, csv");
  }

  @Test
  void aListDoesNotCallEmptyWhatItLeavesOut() {
    assertThat(run("jobs", "-o", "json").out()).doesNotContain("command", "UNSPECIFIED", "draft");
    assertThat(run("jobs", "train-4", "-o", "json").out()).contains("\"command\": [\"python\",");
  }

  @Test
  void onANarrowTerminalTheReasonIsTheLastToGo() {
    String narrow = TestCli.at(GATE, home).with("NO_COLOR", "1").onTerminal(50).run("jobs").out();

    assertThat(narrow)
        .contains("JOB", "STATE", "REASON", "USER_LIMIT ada uses")
        .doesNotContain("AGE");
    assertThat(narrow.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(50));
  }
}

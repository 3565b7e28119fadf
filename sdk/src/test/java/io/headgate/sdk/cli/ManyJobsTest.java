package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.proto.scheduler.v1.ChangeJobsResponse;
import io.headgate.proto.scheduler.v1.Dependency;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.UpdateJobRequest;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Chains of jobs, changes of many jobs and of waiting ones, as users type them.
@Timeout(240)
class ManyJobsTest {
  private final TestGate gate = TestGate.open();
  @TempDir Path home;

  @AfterEach
  void close() {
    gate.close();
  }

  private Result run(String... args) {
    return TestCli.at(gate, home).run(args);
  }

  private JobSpec submitted(String... flags) {
    String[] args = new String[flags.length + 5];
    args[0] = "submit";
    args[1] = "-q";
    args[2] = "half";
    System.arraycopy(flags, 0, args, 3, flags.length);
    args[flags.length + 3] = "--";
    args[flags.length + 4] = "train";
    Result result = run(args);
    assertThat(result.exitCode()).as(result.err()).isZero();
    return gate.jobs.submissions.getLast().getSpec();
  }

  @Test
  void aJobWaitsForTheJobsThatItsFlagsName() {
    JobSpec spec = submitted("--after", "a-1,b-1:any", "--after", "c-1:fail");
    assertThat(spec.getAfterList())
        .containsExactly(
            dependency("a-1", Dependency.Condition.CONDITION_OK),
            dependency("b-1", Dependency.Condition.CONDITION_ANY),
            dependency("c-1", Dependency.Condition.CONDITION_FAIL));
    assertThat(run("jobs", "half-1").out()).contains("a-1, b-1 (any), c-1 (fail)");
  }

  private static Dependency dependency(String job, Dependency.Condition condition) {
    return Dependency.newBuilder().setJob(job).setCondition(condition).build();
  }

  @Test
  void anUnknownConditionIsAnsweredWithTheNearest() {
    Result result = run("submit", "-q", "half", "--after", "a-1:fai", "--", "train");
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("\"fai\" is not ok, any or fail").contains("fail");
    assertThat(gate.jobs.submissions).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "30m, PT30M",
    "2026-12-01T08:00:00Z, ",
    "18:00, ",
  })
  void anEarliestStartIsWrittenAsPeopleSayIt(String text, Duration fromNow) {
    JobSpec spec = submitted("--not-before", text);
    Instant start = Instant.ofEpochSecond(spec.getNotBefore().getSeconds());
    if (fromNow != null) {
      assertThat(start).isEqualTo(TestCli.NOW.plus(fromNow));
    } else if (text.endsWith("Z")) {
      assertThat(start).isEqualTo(Instant.parse(text));
    } else {
      assertThat(start)
          .isAfterOrEqualTo(TestCli.NOW)
          .isBefore(TestCli.NOW.plus(Duration.ofDays(1)));
      assertThat(start.toString()).contains("T18:00:00Z");
    }
    assertThat(run("submit", "-q", "half", "--not-before", "soon", "--", "train").err())
        .contains("--not-before soon is no time");
  }

  @Test
  void everyCopyHasItsNumber() {
    assertThat(run("submit", "-q", "half", "--count", "3", "--", "train").exitCode()).isZero();
    for (int i = 1; i <= 3; i++) {
      assertThat(gate.jobs.job("half-" + i).getSpec().getCopyNumber().getIndex()).isEqualTo(i);
      assertThat(gate.jobs.job("half-" + i).getSpec().getCopyNumber().getCount()).isEqualTo(3);
    }
  }

  private static ChangeJobsResponse.Builder answer(long changed) {
    return ChangeJobsResponse.newBuilder().setChanged(changed);
  }

  @Test
  void cancelOfManyJobsShowsHowManyAndAsks() {
    gate.jobs.bulkAnswers.add(
        answer(12).putUsers("ada", 7).putUsers("bob", 5).setNextPageToken("more").build());
    gate.jobs.bulkAnswers.add(answer(1).putUsers("ada", 1).setNotOwned(2).build());
    Result refused =
        TestCli.at(gate, home)
            .typing("n\n")
            .run("cancel", "--all", "--queue", "half", "--label", "sweep=7");
    assertThat(refused.err())
        .contains("Cancel 13 jobs (ada 8, bob 5)? (y/N) ")
        .contains("nothing was changed");
    assertThat(gate.jobs.bulkCancels).hasSize(2).allMatch(request -> request.getValidateOnly());
    assertThat(gate.jobs.bulkCancels.getFirst().getFilter().getQueuesList())
        .containsExactly("half");
    assertThat(gate.jobs.bulkCancels.getFirst().getFilter().getLabelsMap())
        .containsEntry("sweep", "7");

    for (int i = 0; i < 2; i++) {
      gate.jobs.bulkAnswers.add(answer(13).putUsers("ada", 13).setNotOwned(2).build());
    }
    assertThat(run("cancel", "--all", "--queue", "half", "--yes", "--reason", "wrong").out())
        .isEqualTo("13 jobs cancelled; 2 jobs not yours to cancel\n");
    assertThat(gate.jobs.bulkCancels.getLast().getReason()).isEqualTo("wrong");
    assertThat(gate.jobs.bulkCancels.getLast().getValidateOnly()).isFalse();
  }

  @Test
  void withoutATerminalManyJobsNeedYes() {
    gate.jobs.bulkAnswers.add(answer(12).putUsers("ada", 12).build());
    Result result = run("cancel", "--label", "sweep=7");
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("--yes");
    assertThat(gate.jobs.bulkCancels).hasSize(1);
  }

  @Test
  void requeueOfManyJobsNamesThoseThatWereLeftAlone() {
    gate.jobs.bulkAnswers.add(answer(3).putUsers("ada", 3).build());
    gate.jobs.bulkAnswers.add(
        answer(2)
            .putUsers("ada", 2)
            .setFailed(1)
            .addFailures(
                ChangeJobsResponse.Failure.newBuilder()
                    .setName("tenants/acme/jobs/train-7")
                    .setReason("QUEUE_NOT_FOUND")
                    .setMessage("train-7: there is no queue 'half'"))
            .build());
    Result result = run("requeue", "--state", "failed,lost", "--yes");
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.out()).isEqualTo("2 jobs requeued\n");
    assertThat(result.err()).contains("train-7: there is no queue 'half'").contains("2 of 3");
    assertThat(gate.jobs.bulkRequeues.getLast().getFilter().getStatesList())
        .containsExactly(Job.State.STATE_FAILED, Job.State.STATE_LOST);
    assertThat(run("requeue", "--label", "a=b").err()).contains("missing: --state");
    assertThat(run("requeue").err()).contains("missing: JOB, or a flag that selects jobs");
    assertThat(run("requeue", "train-7", "--state", "failed").err()).contains("cannot be combined");
  }

  @Test
  void aDraftGoesToTheQueueThatIsNamed() {
    submitted();
    assertThat(run("requeue", "half-1", "--queue", "quarter").exitCode()).isZero();
    assertThat(gate.jobs.requeues.getLast().getQueue()).isEqualTo("quarter");
  }

  @Test
  void aWaitingJobIsChanged() {
    submitted();
    assertThat(
            run("update", "half-1", "--priority", "10", "--max-runtime", "2h", "-q", "one")
                .exitCode())
        .isZero();
    UpdateJobRequest update = gate.jobs.updates.getLast();
    assertThat(update.getPriority()).isEqualTo(10);
    assertThat(update.getMaxRuntime().getSeconds()).isEqualTo(7200);
    assertThat(update.getQueue()).isEqualTo("one");
    assertThat(run("update", "half-1").err()).contains("missing: what to change");
  }

  @Test
  void aWrongJobDoesNotKeepTheOthersFromBeingCancelled() {
    submitted();
    submitted();
    Result result = run("cancel", "half-1", "nothing-9", "half-2");
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.out()).contains("half-1").contains("half-2");
    assertThat(result.err()).contains("nothing-9").contains("2 of 3 done");
  }
}

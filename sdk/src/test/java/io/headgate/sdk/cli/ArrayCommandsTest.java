package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Status;
import io.headgate.proto.scheduler.v1.Array;
import io.headgate.proto.scheduler.v1.ArrayElement;
import io.headgate.proto.scheduler.v1.ArrayProgress;
import io.headgate.proto.scheduler.v1.ChangeJobsResponse;
import io.headgate.proto.scheduler.v1.CopyNumber;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobFilter;
import io.headgate.proto.scheduler.v1.Reason;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.config.ScenarioFile;
import io.headgate.sdk.config.ScenarioReader;
import io.headgate.sdk.gate.TestGate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Arrays of equal jobs, as users submit, watch and change them.
@Timeout(240)
class ArrayCommandsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final TestGate gate = TestGate.open();
  @TempDir Path home;

  @AfterEach
  void close() {
    gate.close();
  }

  private Result run(String... words) {
    return TestCli.at(gate, home).run(words);
  }

  private Result onTerminal(int columns, String... words) {
    return TestCli.at(gate, home).with("NO_COLOR", "1").onTerminal(columns).run(words);
  }

  private Result submit(String array, String... more) {
    String[] words = new String[more.length + 9];
    String[] first = {"submit", "-q", "ai-dev-half", "--name", "sweep", "--array", array};
    System.arraycopy(first, 0, words, 0, first.length);
    System.arraycopy(more, 0, words, first.length, more.length);
    words[words.length - 2] = "--";
    words[words.length - 1] = "true";
    return run(words);
  }

  private static ArrayProgress.Builder progress() {
    return ArrayProgress.newBuilder();
  }

  private static Job.Builder array(Job.State state, ArrayProgress.Builder progress) {
    Job.Builder array =
        Fixtures.job("sweep-1", "ai-dev-half", state, "26m").setArrayProgress(progress);
    array.getSpecBuilder().setArray(Array.newBuilder().setSize(50).setMaxParallel(5));
    return array;
  }

  private static Job.Builder element(int number, Job.State state) {
    Job.Builder element =
        Fixtures.job("sweep-1." + number, "ai-dev-half", state, "26m")
            .setElement(ArrayElement.newBuilder().setArray("sweep-1").setNumber(number))
            .setAttempt(1)
            .addAttempts(Fixtures.attempt(1, number % 2));
    element.getSpecBuilder().setCopyNumber(CopyNumber.newBuilder().setIndex(number).setCount(50));
    return element;
  }

  /// Two elements of 50 have failed, and five run.
  private void halfway() {
    gate.jobs.put(
        array(
                Job.State.STATE_RUNNING,
                progress().setDone(8).setFailed(2).setActive(5).setNotStarted(35))
            .setReason(Reason.newBuilder().setCode("MAX_PARALLEL").setMessage("5 are under way"))
            .build());
    for (int number : new int[] {4, 10}) {
      gate.jobs.put(element(number, Job.State.STATE_FAILED).setExitCode(number).build());
    }
    for (int number = 11; number <= 15; number++) {
      gate.jobs.put(element(number, Job.State.STATE_RUNNING).build());
    }
  }

  @Test
  void aSnapshotHasTheElementsThatRunAndThoseThatHaveNotStarted() throws Exception {
    Fixtures.fill(gate);
    for (String other : List.of("train-4", "train-5")) {
      gate.jobs.put(Fixtures.job(other, "ai-dev-half", Job.State.STATE_DONE, "1m").build());
    }
    gate.jobs.put(
        array(Job.State.STATE_RUNNING, progress().setDone(8).setActive(2).setNotStarted(40))
            .build());
    gate.jobs.put(element(9, Job.State.STATE_RUNNING).build());
    gate.jobs.put(element(10, Job.State.STATE_RUNNING).build());
    gate.jobs.put(element(8, Job.State.STATE_DONE).build());

    Result result = run("snapshot");

    ScenarioFile scenario = ScenarioReader.read("now.yaml", result.out());
    assertThat(scenario.running())
        .extracting(running -> running.job().name())
        .contains("sweep-1-e9", "sweep-1-e10")
        .doesNotContain("sweep-1", "sweep-1-e8");
    assertThat(scenario.waiting())
        .filteredOn(waiting -> waiting.job().name().equals("sweep-1"))
        .extracting(ScenarioFile.Waiting::count)
        .containsExactly(40);
    assertThat(result.err()).contains("in the scenario more than 5 of its elements may run");
  }

  @ParameterizedTest
  @CsvSource({"50, 50, 0", "1-50, 50, 0", "50%5, 50, 5", "1-50%5, 50, 5", "1, 1, 0"})
  void aSizeAndABoundAreWrittenAsInSlurm(String text, int size, int maxParallel) {
    Result result = submit(text);

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(gate.jobs.submissions).hasSize(1);
    assertThat(gate.jobs.submissions.getFirst().getSpec().getArray())
        .isEqualTo(Array.newBuilder().setSize(size).setMaxParallel(maxParallel).build());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0-9     | the first number is 0     | write --array 1-10, and let the job subtract 1 from",
        "5-10%2  | the first number is 5     | write --array 1-6%2, and let the job add 4 to",
        "1,3,7   | no list of numbers        | write --array 3, and let the job choose its value",
        "1-10:2  | no steps                  | let the job multiply HEADGATE_INDEX",
        "0       | 1 to 100000 elements      | write --array 50",
        "100001  | and not 100001            | write --array 50",
        "5%0     | no element could run      | leave it out: --array 5",
        "5%6     | 6 at the same time is above the size 5 | name at most 5",
        "9-2     | \"9-2\" is not the size    | --array 1-50%5",
        "fifty   | \"fifty\" is not the size  | --array 1-50%5",
        "99999999999 | is not the size       | --array 1-50%5",
      })
  void otherFormsAreRefusedWithARemedy(String text, String message, String remedy) {
    Result result = submit(text);

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("--array " + text, message, remedy);
    assertThat(gate.calls).isEmpty();
  }

  @Test
  void copiesAreNoArrays() {
    assertThat(submit("5", "--count", "2").err())
        .contains("--count cannot be combined with an array", "leave out --count");
    assertThat(gate.calls).isEmpty();
  }

  @Test
  void sayInOneLineWhatWasSubmitted() {
    gate.supply.provisioned = Fixtures.resources();
    Golden.check("submit-array", submit("50%5"));
    Golden.check("submit-array-dry-run", submit("1-50", "--dry-run"));
    assertThat(submit("3", "-o", "name").out()).isEqualTo("sweep-3\n");
  }

  @Test
  void areOneLineOfTheListAndHaveOnesOfTheirOwn() {
    halfway();
    gate.jobs.put(
        Fixtures.job("train-7", "ai-dev-half", Job.State.STATE_WAITING, "4m")
            .setPosition(1)
            .build());
    Golden.check("array-jobs-tty-80", onTerminal(80, "jobs"));
    Golden.check("array-elements-tty-80", onTerminal(80, "jobs", "--array", "sweep-1"));
    Golden.check("array-detail", onTerminal(100, "jobs", "sweep-1"));
    Golden.check("array-element", onTerminal(100, "jobs", "sweep-1.4"));
    assertThat(run("jobs", "-o", "json").out()).contains("\"notStarted\": 35");
    assertThat(run("jobs", "--array", "sweep-1", "--sort", "job", "-o", "name").out())
        .startsWith("sweep-1.4\nsweep-1.10\nsweep-1.11\n");
    JobFilter asked = gate.jobs.lists.getLast().getFilter();
    assertThat(asked.getArray()).isEqualTo("sweep-1");
    assertThat(asked.getUsersList()).as("whoever submitted it").isEmpty();
    assertThat(asked.hasActiveOrFinishedAfter()).as("however long ago").isFalse();
    assertThat(run("jobs", "sweep-1", "--array", "sweep-1").err())
        .contains("JOB cannot be combined with --array");
  }

  @Test
  void whyOneWaitsFollowsHowItStands() {
    gate.jobs.put(
        array(Job.State.STATE_WAITING, progress().setNotStarted(50))
            .setReason(Reason.newBuilder().setCode("USER_LIMIT").setMessage("ada uses 6 of 6"))
            .build());
    assertThat(run("jobs").out()).contains("50 wait: USER_LIMIT ada uses 6 of 6");

    gate.jobs.put(
        array(Job.State.STATE_CANCELLED, progress().setDone(1).setCancelled(5).setNotStarted(44))
            .setReason(Reason.newBuilder().setCode("CANCELLED").setMessage("by ada: wrong data"))
            .build());
    assertThat(run("jobs").out())
        .contains("1 done, 5 cancelled, 44 never started: by ada: wrong data");
  }

  @Test
  void waitNamesTheElementsThatFailed() {
    halfway();
    gate.jobs.put(array(Job.State.STATE_FAILED, progress().setDone(42).setFailed(8)).build());
    for (int number = 20; number <= 24; number++) {
      gate.jobs.put(element(number, Job.State.STATE_FAILED).setExitCode(1).build());
    }
    gate.jobs.put(element(30, Job.State.STATE_LOST).build());

    Result waited = run("wait", "sweep-1");

    assertThat(waited.exitCode()).as("of the first that failed").isEqualTo(4);
    Golden.check("array-wait", waited);

    gate.jobs.put(array(Job.State.STATE_DONE, progress().setDone(50)).build());
    assertThat(run("wait", "sweep-1").exitCode()).isZero();
    gate.jobs.put(array(Job.State.STATE_CANCELLED, progress().setCancelled(50)).build());
    assertThat(run("wait", "sweep-1").exitCode()).isEqualTo(143);
  }

  @Test
  void followingOneShowsItsProgress() {
    CompletableFuture<Result> followed =
        CompletableFuture.supplyAsync(() -> submit("2", "--follow"));
    await().atMost(PATIENCE).until(() -> gate.jobs.watcherCount() > 0);
    move("sweep-1", Job.State.STATE_RUNNING, progress().setActive(1).setNotStarted(1));
    move("sweep-1", Job.State.STATE_RUNNING, progress().setActive(1).setDone(1));
    move("sweep-1", Job.State.STATE_DONE, progress().setDone(2));

    Result result = followed.join();
    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .contains(
            "sweep-1 submitted to ai-dev-half: 2 elements",
            "sweep-1 is an array: its progress is shown",
            "sweep-1 running: 1 runs, 1 waits\n",
            "sweep-1 running: 1 done, 1 runs\n",
            "sweep-1 done: 2 done\n");
    assertThat(gate.jobs.logRequests).isEmpty();
  }

  private void move(String id, Job.State state, ArrayProgress.Builder progress) {
    gate.jobs.change(id, job -> job.toBuilder().setState(state).setArrayProgress(progress).build());
  }

  @Test
  void aLargeOneIsFollowedInHundredths() {
    CompletableFuture<Result> followed =
        CompletableFuture.supplyAsync(() -> submit("2000", "--follow"));
    await().atMost(PATIENCE).until(() -> gate.jobs.watcherCount() > 0);
    for (int ended = 0; ended < 200; ended++) {
      move(
          "sweep-1",
          Job.State.STATE_RUNNING,
          progress().setDone(ended).setActive(1).setNotStarted(1999 - ended));
    }
    move("sweep-1", Job.State.STATE_DONE, progress().setDone(2000));

    assertThat(followed.join().err().lines().filter(line -> line.startsWith("sweep-1 running")))
        .hasSizeBetween(9, 11)
        .contains("sweep-1 running: 20 done, 1 runs, 1,979 wait");
  }

  @Test
  void outputIsThatOfAnElementWhichIsNamed() {
    gate.jobs.logs =
        (request, answer) ->
            answer.onError(
                TestGate.refusal(
                    Status.Code.FAILED_PRECONDITION, "IS_ARRAY", "sweep-1 is an array"));
    gate.jobs.put(element(3, Job.State.STATE_DONE).build());
    assertThat(run("logs", "sweep-1").err()).contains("sweep-1.3 is done: headgate logs sweep-1.3");
    gate.jobs.put(element(12, Job.State.STATE_RUNNING).build());
    assertThat(run("logs", "sweep-1").err())
        .contains("sweep-1.12 is running: headgate logs sweep-1.12");
    halfway();
    Golden.check("array-logs", run("logs", "sweep-1", "--tail", "3"));
  }

  @Test
  void elementsAreChangedTogether() {
    for (int i = 0; i < 4; i++) {
      gate.jobs.bulkAnswers.add(
          ChangeJobsResponse.newBuilder().setChanged(2).putUsers("bob", 2).build());
    }
    assertThat(run("requeue", "--array", "sweep-1", "--state", "failed", "--yes").out())
        .isEqualTo("2 jobs requeued\n");
    JobFilter requeued = gate.jobs.bulkRequeues.getLast().getFilter();
    assertThat(requeued.getArray()).isEqualTo("sweep-1");
    assertThat(requeued.getStatesList()).containsExactly(Job.State.STATE_FAILED);
    assertThat(requeued.getUsersList()).as("an array has one user").isEmpty();

    Result cancelled = run("cancel", "--array", "sweep-1", "--yes");
    assertThat(cancelled.out()).isEqualTo("2 jobs cancelled\n");
    assertThat(cancelled.err()).contains("the array with all others: headgate cancel sweep-1");
    assertThat(gate.jobs.bulkCancels.getLast().getFilter().getArray()).isEqualTo("sweep-1");
    assertThat(run("requeue", "--array", "sweep-1").err()).contains("missing: --state");
  }

  @Test
  void oneElementIsChangedByItsId() {
    halfway();
    assertThat(run("cancel", "sweep-1.11").out()).isEqualTo("sweep-1.11 cancelled\n");
    assertThat(run("requeue", "sweep-1.4").exitCode()).isZero();
    assertThat(gate.jobs.requeues.getLast().getName()).isEqualTo("tenants/acme/jobs/sweep-1.4");
  }

  /// An element that has never started is in no list and in no watch.
  @Test
  void whoWaitsForAnElementHearsWhenItsArrayIsCancelled() {
    gate.jobs.put(array(Job.State.STATE_WAITING, progress().setNotStarted(50)).build());
    Job.Builder never = element(7, Job.State.STATE_WAITING).clearAttempts().setAttempt(0);
    gate.jobs.put(never.build());
    CompletableFuture<Result> waited =
        CompletableFuture.supplyAsync(() -> run("wait", "sweep-1.7"));
    await().atMost(PATIENCE).until(() -> gate.jobs.watcherCount() == 2);
    assertThat(gate.jobs.watches)
        .extracting(watch -> watch.getFilter().getArray())
        .containsExactlyInAnyOrder("sweep-1", "");

    gate.jobs.putUnseen(never.setState(Job.State.STATE_CANCELLED).build());
    move("sweep-1", Job.State.STATE_CANCELLED, progress().setNotStarted(50));

    assertThat(waited.join().exitCode()).isEqualTo(143);
    await().atMost(PATIENCE).until(() -> gate.jobs.watcherCount() == 0);
  }
}

package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.rpc.BadRequest;
import io.grpc.Status;
import io.headgate.proto.pool.v1.Warning;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.ReadJobLogsResponse;
import io.headgate.proto.scheduler.v1.ReadJobLogsResponse.Stream;
import io.headgate.proto.scheduler.v1.Reason;
import io.headgate.proto.type.v1.Container.PullPolicy;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class SubmitTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final TestGate gate = TestGate.open();
  @TempDir Path home;

  @BeforeEach
  void fill() {
    gate.supply.provisioned = Fixtures.resources();
    gate.jobs.logs =
        (_, answer) -> {
          answer.onNext(piece(Stream.STREAM_STDOUT, "epoch 1\n"));
          answer.onNext(piece(Stream.STREAM_STDERR, "warning\n"));
          answer.onCompleted();
        };
  }

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void saysWhatWasSubmittedAndWhyItWaits() {
    gate.jobs.onSubmit =
        job ->
            job.toBuilder()
                .setReason(
                    Reason.newBuilder()
                        .setCode("USER_LIMIT")
                        .setMessage("ada uses 6 of 6 in ai-dev, needs 1/2"))
                .setPosition(3)
                .setExpectedStartTime(Fixtures.time("-18m"))
                .build();

    Golden.check(
        "submit-tty",
        cli()
            .onTerminal(100)
            .with("NO_COLOR", "1")
            .run("submit", "-q", "ai-dev-half", "--name", "train", "--", "python", "train.py"));
    Golden.check("submit-name", submit("-o", "name"));
    Golden.check("submit-json", submit("-o", "jsonl", "--id", "exact"));
    Golden.check("submit-dry-run", submit("--dry-run"));
    Golden.check("submit-count", submit("--count", "3"));
  }

  /// A gang that asks for twice what its policy reserves. The job is submitted nevertheless.
  @Test
  void warnsOnceOfAGangAboveTheReservation() {
    Warning warning =
        Warning.newBuilder()
            .setReason("GANG_ABOVE_RESERVATION")
            .setMessage(
                "it asks for 16 GPUs, and policy ai-dev reserves 8: the whole gang may be preempted")
            .build();
    gate.jobs.onSubmit = job -> job.toBuilder().setWorkers(2).addWarnings(warning).build();

    Golden.check("submit-gang", submit());
    Golden.check("submit-gang-dry-run", submit("--dry-run"));
    assertThat(submit("--count", "3").err()).containsOnlyOnce("the whole gang may be preempted");
    assertThat(submit("-o", "jsonl").out()).contains("\"reason\":\"GANG_ABOVE_RESERVATION\"");
    assertThat(submit("-o", "name", "--quiet").err()).isEmpty();
  }

  @Test
  void sendsWhatTheFlagsSay() {
    cli()
        .with("FROM_HERE", "yes")
        .run(
            "submit",
            "-q",
            "ai-dev-half",
            "--name",
            "train",
            "-e",
            "A=1",
            "-e",
            "FROM_HERE",
            "--workdir",
            "/data",
            "--image",
            "localhost/train:1",
            "--pull",
            "never",
            "--max-runtime",
            "4h",
            "--suspend",
            "30m",
            "--on-abort",
            "save.sh now",
            "--abort-timeout",
            "90s",
            "--grace",
            "20s",
            "--priority",
            "-5",
            "--preemptible",
            "false",
            "--label",
            "team=x",
            "--request-id",
            "abc",
            "--",
            "python",
            "-c",
            "print()");

    var request = gate.jobs.submissions.getFirst();
    JobSpec spec = request.getSpec();
    assertThat(request.getIdPrefix()).isEqualTo("train");
    assertThat(request.getRequestId()).isEqualTo("abc");
    assertThat(spec.getCommandList()).containsExactly("python", "-c", "print()");
    assertThat(spec.getEnvironmentMap()).containsEntry("A", "1").containsEntry("FROM_HERE", "yes");
    assertThat(spec.getWorkingDirectory()).isEqualTo("/data");
    assertThat(spec.getContainer().getImage()).isEqualTo("localhost/train:1");
    assertThat(spec.getContainer().getPullPolicy()).isEqualTo(PullPolicy.PULL_POLICY_NEVER);
    assertThat(spec.getMaxRuntime().getSeconds()).isEqualTo(4 * 3600);
    assertThat(spec.getSuspend().getSeconds()).isEqualTo(1800);
    assertThat(spec.getAbortCallback().getCommandList()).containsExactly("sh", "-c", "save.sh now");
    assertThat(spec.getAbortCallback().getTimeout().getSeconds()).isEqualTo(90);
    assertThat(spec.getTerminationGrace().getSeconds()).isEqualTo(20);
    assertThat(spec.getPriority()).isEqualTo(-5);
    assertThat(spec.hasPreemptible()).isTrue();
    assertThat(spec.getPreemptible()).isFalse();
    assertThat(spec.getLabelsMap()).containsEntry("team", "x");
  }

  @Test
  void retriesUnderOneRequestId() {
    gate.failNext("SubmitJob", TestGate.refusal(Status.Code.UNAVAILABLE, "NO_LEADER", "electing"));

    assertThat(submit("-o", "name").exitCode()).isZero();

    assertThat(gate.count("SubmitJob")).isEqualTo(2);
  }

  @Test
  void followShowsTheOutputAndEndsAsTheJobDoes() {
    Result result = follow(job -> ended(job, Job.State.STATE_FAILED, 3));

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.out()).isEqualTo("epoch 1\n");
    assertThat(result.err())
        .contains("warning")
        .contains("submitted to ai-dev-half")
        .contains("running: on gpu-03:1 (onprem-rtx6000)")
        .contains("failed");
  }

  @Test
  void whatAnEndedJobPrintedComesBeforeHowItEnded() {
    Job job = job("a").toBuilder().setAttempt(1).addAttempts(Fixtures.attempt(1, 1)).build();
    gate.jobs.put(ended(job, Job.State.STATE_DONE, 0));

    assertThat(cli().run("logs", "-f", "a").err()).endsWith("warning\na done: exit 0\n");
  }

  @Test
  void followEndsWith143ForACancelledJobAnd125ForALostOne() {
    assertThat(follow(job -> ended(job, Job.State.STATE_CANCELLED, 0)).exitCode()).isEqualTo(143);
    assertThat(follow(job -> ended(job, Job.State.STATE_LOST, 0)).exitCode()).isEqualTo(125);
    assertThat(follow(job -> ended(job, Job.State.STATE_DONE, 0)).exitCode()).isZero();
  }

  @Test
  void followEndsWith125WhenTheServerRefuses() {
    gate.failNext(
        "SubmitJob", TestGate.refusal(Status.Code.PERMISSION_DENIED, "NOT_ADMITTED", "not yours"));

    assertThat(submit("--follow").exitCode()).isEqualTo(125);
  }

  @Test
  void waitEndsAsTheJobsDo() {
    gate.jobs.put(ended(job("a"), Job.State.STATE_DONE, 0));
    gate.jobs.put(ended(job("b"), Job.State.STATE_FAILED, 7));
    gate.jobs.put(job("c"));

    assertThat(cli().run("wait", "a").exitCode()).isZero();
    assertThat(cli().run("wait", "a", "b").exitCode()).isEqualTo(7);
    Result late = cli().run("wait", "c", "--timeout", "1ms");
    assertThat(late.exitCode()).isEqualTo(3);
    assertThat(late.err()).contains("c has not ended after ", ": headgate explain c");
  }

  @Test
  void aVariableThatIsNotSetHereIsNotSentAsAnEmptyOne() {
    assertThat(submit("-e", "API_KEY").err())
        .contains(
            "--env API_KEY: the variable is not set in this shell", "write --env API_KEY=VALUE");
    assertThat(gate.jobs.submissions).isEmpty();
    assertThat(
            cli().with("API_KEY", "").run("submit", "-q", "q", "-e", "API_KEY", "true").exitCode())
        .isZero();
  }

  @Test
  void aRefusedFieldIsNamedByItsFlag() {
    BadRequest bad =
        BadRequest.newBuilder()
            .addFieldViolations(
                BadRequest.FieldViolation.newBuilder()
                    .setField("spec.priority")
                    .setDescription("must be at most 1000"))
            .build();
    gate.failNext(
        "SubmitJob",
        TestGate.refusal(
            Status.Code.INVALID_ARGUMENT,
            "INVALID_FIELD",
            "spec.priority: must be at most 1000",
            Any.pack(bad)));

    assertThat(submit("--priority", "5000").err())
        .startsWith("error: --priority: must be at most 1000 ")
        .contains("  --priority\n");
  }

  @Test
  void cancelAndRequeueSayWhatBecameOfTheJob() {
    gate.jobs.put(job("a"));

    assertThat(cli().run("requeue", "a").out()).isEqualTo("a waiting\n");
    assertThat(cli().run("cancel", "a").out()).isEqualTo("a cancelled\n");
    assertThat(cli().run("cancel", "zzz").exitCode()).isEqualTo(1);
  }

  @Test
  void aListOfJobsIsWorkedOffPastAWrongName() {
    gate.jobs.put(job("a"));
    gate.jobs.put(job("c"));

    Result result = cli().run("cancel", "a", "zzz", "c");

    assertThat(result.out()).isEqualTo("a cancelled\nc cancelled\n");
    assertThat(result.err()).contains("zzz", "JOB_NOT_FOUND", "2 of 3 done. Not done: zzz");
    assertThat(result.exitCode()).isEqualTo(1);
  }

  @Test
  void logsGoToAPipeAsTheyAreAndToATerminalWithoutControls() {
    gate.jobs.put(job("a"));
    String hostile = "ok \u001b[31mred\u001b[0m \u001b]0;title\u0007 bell\u0007\r\nnext\n";
    gate.jobs.logs =
        (_, answer) -> {
          answer.onNext(piece(Stream.STREAM_STDOUT, hostile));
          answer.onCompleted();
        };

    assertThat(cli().run("logs", "a").out()).isEqualTo(hostile);
    assertThat(cli().onTerminal(80).run("logs", "a").out()).isEqualTo("ok red  bell\nnext\n");
    assertThat(cli().onTerminal(80).run("logs", "a", "--raw").out()).isEqualTo(hostile);
  }

  @Test
  void controlCharactersOfNamesNeverReachATerminal() {
    gate.jobs.put(
        job("a").toBuilder()
            .setReason(Reason.newBuilder().setCode("X").setMessage("\u001b[2Jgone\u202e"))
            .build());

    assertThat(cli().run("jobs").out()).contains("X [2Jgone").doesNotContain("\u001b", "\u202e");
    assertThat(cli().run("jobs", "-o", "json").out()).doesNotContain("\u001b", "\u202e");
  }

  private Result follow(UnaryOperator<Job> ending) {
    int before = gate.jobs.submissions.size();
    CompletableFuture<Result> followed =
        CompletableFuture.supplyAsync(() -> submit("--follow", "--name", "f"));
    await()
        .atMost(PATIENCE)
        .until(() -> gate.jobs.submissions.size() > before && gate.jobs.watcherCount() > 0);
    String id = "f-" + (before + 1);
    gate.jobs.change(
        id,
        job ->
            job.toBuilder()
                .setState(Job.State.STATE_RUNNING)
                .setAttempt(1)
                .addAttempts(Fixtures.attempt(1, 1))
                .build());
    await().atMost(PATIENCE).until(() -> gate.jobs.logRequests.size() > before);
    gate.jobs.change(id, ending);
    Result result = followed.join();
    await().atMost(PATIENCE).until(() -> gate.jobs.watcherCount() == 0);
    return result;
  }

  private Result submit(String... more) {
    String[] words = new String[more.length + 5];
    words[0] = "submit";
    words[1] = "-q";
    words[2] = "ai-dev-half";
    System.arraycopy(more, 0, words, 3, more.length);
    words[more.length + 3] = "--";
    words[more.length + 4] = "true";
    return cli().run(words);
  }

  private static Job job(String id) {
    return Fixtures.job(id, "ai-dev-half", Job.State.STATE_WAITING, "1m").build();
  }

  private static Job ended(Job job, Job.State state, int exitCode) {
    return job.toBuilder().setState(state).setExitCode(exitCode).build();
  }

  private static ReadJobLogsResponse piece(Stream stream, String text) {
    return ReadJobLogsResponse.newBuilder()
        .setStream(stream)
        .setAttempt(1)
        .setData(ByteString.copyFromUtf8(text))
        .build();
  }

  private TestCli cli() {
    return TestCli.at(gate, home);
  }
}

package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.proto.scheduler.v1.Array;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.type.v1.Container.PullPolicy;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Submits jobs that a file describes.
class SubmitFileTest {
  private static final String JOB =
      """
      apiVersion: headgate/v1
      kind: Job
      queue: ai-dev-half
      name: train
      command: [python, train.py, --epochs, "10"]
      environment: {DATA: /data, MODE: fast}
      workingDirectory: /work
      maxRuntime: 4h
      abortCallback: {command: [python, save.py], timeout: 60s}
      terminationGrace: 5s
      priority: 7
      preemptible: false
      labels: {team: vision}
      image: localhost/train:1
      pull: always
      suspend: 30m
      """;

  private final TestGate gate = TestGate.open();
  @TempDir Path home;

  @BeforeEach
  void fill() {
    gate.supply.provisioned = Fixtures.resources();
  }

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void submitsWhatTheFileSays() throws IOException {
    Result result = submit(JOB);

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).startsWith("train-1");
    JobSpec spec = submitted();
    assertThat(spec.getQueue()).isEqualTo("ai-dev-half");
    assertThat(spec.getCommandList()).containsExactly("python", "train.py", "--epochs", "10");
    assertThat(spec.getEnvironmentMap()).containsEntry("DATA", "/data").hasSize(2);
    assertThat(spec.getWorkingDirectory()).isEqualTo("/work");
    assertThat(spec.getMaxRuntime().getSeconds()).isEqualTo(4 * 3600);
    assertThat(spec.getSuspend().getSeconds()).isEqualTo(1800);
    assertThat(spec.getAbortCallback().getCommandList()).containsExactly("python", "save.py");
    assertThat(spec.getAbortCallback().getTimeout().getSeconds()).isEqualTo(60);
    assertThat(spec.getTerminationGrace().getSeconds()).isEqualTo(5);
    assertThat(spec.getPriority()).isEqualTo(7);
    assertThat(spec.getPreemptible()).isFalse();
    assertThat(spec.getLabelsMap()).containsEntry("team", "vision");
    assertThat(spec.getContainer().getImage()).isEqualTo("localhost/train:1");
    assertThat(spec.getContainer().getPullPolicy()).isEqualTo(PullPolicy.PULL_POLICY_ALWAYS);
  }

  @Test
  void flagsWinOverTheFile() throws IOException {
    Result result =
        submit(
            JOB,
            "-q",
            "ai-dev-eight",
            "-e",
            "MODE=slow",
            "--priority",
            "0",
            "--on-abort",
            "save",
            "--",
            "sleep",
            "1");

    assertThat(result.exitCode()).as(result.err()).isZero();
    JobSpec spec = submitted();
    assertThat(spec.getQueue()).isEqualTo("ai-dev-eight");
    assertThat(spec.getCommandList()).containsExactly("sleep", "1");
    assertThat(spec.getEnvironmentMap())
        .containsEntry("DATA", "/data")
        .containsEntry("MODE", "slow");
    assertThat(spec.getPriority()).isZero();
    assertThat(spec.getAbortCallback().getCommandList()).containsExactly("sh", "-c", "save");
    assertThat(spec.getAbortCallback().getTimeout().getSeconds()).isEqualTo(60);
  }

  @Test
  void mistakesAreShownAtTheirPlacesAndNothingIsSent() throws IOException {
    Result result = submit(JOB.replace("4h", "soon").replace("priority", "priorty"));

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err())
        .contains("job.yaml:8:13", "write for example 90s, 15m or 2h")
        .contains("job.yaml:11:1", "did you mean priority?")
        .endsWith("2 errors. Nothing was submitted.\n");
    assertThat(gate.calls).isEmpty();
  }

  @Test
  void anArrayIsAMappingWithItsSize() throws IOException {
    assertThat(submit(JOB + "array: {size: 50, maxParallel: 5}\n").exitCode()).isZero();
    assertThat(submitted().getArray())
        .isEqualTo(Array.newBuilder().setSize(50).setMaxParallel(5).build());
    assertThat(submit(JOB + "array: {size: 50, maxParallel: 5}\n", "--array", "8").exitCode())
        .isZero();
    assertThat(submitted().getArray()).isEqualTo(Array.newBuilder().setSize(8).build());
    assertThat(submit(JOB + "array: {maxParallel: 5}\n").err())
        .contains("job.yaml:17:8", "array: {size: 50}");
    assertThat(submit(JOB + "array: {size: 100001}\n").err())
        .contains("100001", "write a number from 1 to 100000");
    assertThat(submit(JOB + "array: {size: 5, maxParallel: 6}\n").err())
        .contains("array: 6 at the same time is above the size 5", "name at most 5");
    assertThat(submit(JOB + "array: {size: 5}\n", "--count", "2").err())
        .contains("--count cannot be combined with an array");
  }

  @Test
  void whatNeitherSaysIsMissed() throws IOException {
    assertThat(submit("apiVersion: headgate/v1\nkind: Job\n").err()).contains("missing: --queue");
    assertThat(submit("apiVersion: headgate/v1\nkind: Job\nqueue: q\n").err())
        .contains("missing: CMD");
    assertThat(gate.calls).isEmpty();
  }

  private JobSpec submitted() {
    return gate.jobs.submissions.getLast().getSpec();
  }

  private Result submit(String job, String... flags) throws IOException {
    Path file = Files.writeString(home.resolve("job.yaml"), job);
    String[] words = new String[flags.length + 3];
    words[0] = "submit";
    words[1] = "-f";
    words[2] = file.toString();
    System.arraycopy(flags, 0, words, 3, flags.length);
    return TestCli.at(gate, home).run(words);
  }
}

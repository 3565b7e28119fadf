package io.headgate.agent.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.Input;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.SliceGrant;
import io.headgate.proto.type.v1.Container;
import io.headgate.type.JobRules;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/// Assignments from the wire: what submission accepts, the agent accepts.
class FromWireTest {
  private static final int JOBS = 20_000;

  /// Pieces of names, words and paths, many of them bad.
  private static final List<String> PIECES =
      List.of(
          "a",
          "Z9",
          "_",
          "/",
          "//",
          "..",
          ".",
          "-",
          "=",
          " ",
          "\n",
          "\r",
          "\t",
          "\0",
          "\u007f",
          "\u009b",
          "ü",
          "\uD83D\uDE00",
          "%s",
          "'",
          "\"",
          "\\",
          ":",
          "@",
          "registry.example/a",
          "1");

  private static Assign.Builder job() {
    return Assign.newBuilder()
        .setJob("tenants/acme/jobs/a")
        .setAttempt(1)
        .setWorkers(1)
        .addCommand("true");
  }

  private static Input take(Assign.Builder assign) {
    return FromWire.assign(assign.build(), Instant.EPOCH);
  }

  @Test
  void acceptsWhateverTheRulesOfSubmissionAccept() {
    long seed = RandomGenerator.getDefault().nextLong();
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed);
    int accepted = 0;
    for (int i = 0; i < JOBS; i++) {
      Assign.Builder job = random(random);
      boolean isGood =
          JobRules.problems(
                  new JobRules.Content(
                      job.getCommandList(),
                      job.getAbortCommandList(),
                      job.getEnvironmentMap(),
                      job.getWorkingDirectory(),
                      job.hasContainer()
                          ? Optional.of(job.getContainer().getImage())
                          : Optional.empty()))
              .isEmpty();
      assertThat(take(job))
          .as("seed %d, job %d: %s", seed, i, job)
          .isInstanceOf(isGood ? Input.Assigned.class : Input.Malformed.class);
      accepted += isGood ? 1 : 0;
    }
    assertThat(accepted).as("seed " + seed).isBetween(JOBS / 50, JOBS * 49 / 50);
  }

  private static Assign.Builder random(RandomGenerator random) {
    Assign.Builder job = job().clearCommand();
    words(random, 3).forEach(job::addCommand);
    words(random, 2).forEach(job::addAbortCommand);
    for (String name : words(random, 2)) {
      job.putEnvironment(name, word(random));
    }
    if (random.nextBoolean()) {
      job.setWorkingDirectory((random.nextInt(4) == 0 ? "" : "/") + word(random));
    }
    if (random.nextInt(4) == 0) {
      job.setContainer(
          Container.newBuilder()
              .setImage(random.nextBoolean() ? "registry.example/a:1" : word(random)));
    }
    return job;
  }

  private static List<String> words(RandomGenerator random, int most) {
    List<String> words = new ArrayList<>();
    int count = random.nextInt(most + 1);
    for (int i = 0; i < count; i++) {
      words.add(word(random));
    }
    return words;
  }

  private static String word(RandomGenerator random) {
    StringBuilder word = new StringBuilder();
    int pieces = random.nextInt(3);
    for (int i = 0; i < pieces; i++) {
      // Mostly good ones: a job with many words is seldom good otherwise.
      word.append(PIECES.get(random.nextInt(random.nextInt(3) == 0 ? PIECES.size() : 3)));
    }
    return word.toString();
  }

  @Test
  void aMalformedJobFailsAndAnUnreadableOrderIsRejected() {
    assertThat(take(job().setWorkingDirectory("/a\nb")))
        .isInstanceOfSatisfying(
            Input.Malformed.class,
            malformed -> {
              assertThat(malformed.reason()).isEqualTo(EndReason.START_FAILED);
              assertThat(malformed.problem())
                  .startsWith("working_directory: '/a\uFFFDb' has a control character");
            });
    assertThat(take(job().addSlices(SliceGrant.newBuilder().setDeviceUuid("GPU-1").setGpus("2"))))
        .isInstanceOfSatisfying(
            Input.Malformed.class,
            malformed -> assertThat(malformed.reason()).isEqualTo(EndReason.REJECTED));
  }
}

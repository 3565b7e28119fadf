package io.headgate.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.rocm.FakeAmdGpus;
import io.headgate.agent.runtime.CyclingAgent.Mechanism;
import io.headgate.kit.testing.TestJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Jobs with slices come and go, and leave nothing: no process, open file, mapping, thread, cgroup,
/// directory, instance, limit or daemon. Each mechanism has an agent of its own, and each kind of
/// file and thread is counted by itself. `-Dheadgate.test.cycles=1000` for as many jobs as a
/// machine sees in a day.
class CyclesTest {
  private static final Logger LOG = LoggerFactory.getLogger(CyclesTest.class);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int CYCLES = Integer.getInteger("headgate.test.cycles", 20);
  private static final String AMD_REGION = "drm/0000:0c:00.0/vram";

  @TempDir Path data;

  /// How many things of a kind the agent held before and after its cycles.
  private record Held(String kind, long before, long after) {
    static Held parse(String line) {
      String[] words = line.split("\t", -1);
      return new Held(words[0], Long.parseLong(words[1]), Long.parseLong(words[2]));
    }
  }

  @ParameterizedTest
  @EnumSource
  void leaveNothing(Mechanism mechanism) throws Exception {
    Made made = install(mechanism);
    for (Held held : cycle(mechanism)) {
      if (held.kind().startsWith("jobs'")) {
        assertThat(held.after()).as(held.kind()).isZero();
      } else {
        assertThat(held.after() - held.before())
            .as("%s, before and after %d jobs", held, CYCLES)
            .isLessThan(CyclingAgent.LATE);
      }
    }
    made.assertNone();
    // Records of forgotten attempts are removed in the background, and when the agent starts.
    try (Agent agent = CyclingAgent.open(data, mechanism)) {
      agent.start();
      await().atMost(PATIENCE).until(() -> count(data.resolve("attempts")) == 0);
      assertThat(agent.reports().get()).isEmpty();
    }
    assertThat(data.resolve("outbox").toFile().length()).isLessThan(1 << 20);
    assertThat(count(data.resolve("checkpoints/acme"))).as("the job's own").isEqualTo(1);
  }

  /// Checks that nothing of a slice is left on the machine's GPUs.
  private interface Made {
    void assertNone() throws IOException;
  }

  private Made install(Mechanism mechanism) throws IOException {
    return switch (mechanism) {
      case CGROUP -> {
        FakeGpus gpus = FakeGpus.in(data, FakeGpus.Version.V615).with(false);
        yield () -> assertThat(gpus.limits(0)).isEmpty();
      }
      case MIG -> {
        FakeGpus gpus = FakeGpus.in(data, FakeGpus.Version.V615).with(true);
        yield () -> assertThat(gpus.instances(0)).isEmpty();
      }
      case MPS -> {
        FakeGpus gpus = FakeGpus.in(data, FakeGpus.Version.V580).with(false);
        yield () -> {
          assertThat(gpus.limits(0)).isEmpty();
          assertThat(data.resolve("mps"))
              .satisfiesAnyOf(
                  none -> assertThat(none).doesNotExist(),
                  none -> assertThat(none).isEmptyDirectory());
        };
      }
      case AMD_MODE -> {
        FakeAmdGpus.in(data).withMi300x();
        Files.createDirectory(data.resolve("cgroups"));
        // An idle GPU keeps its mode.
        yield () -> {};
      }
      case AMD_LIMIT -> {
        FakeAmdGpus.in(data).withMi210();
        Path cgroups = Files.createDirectory(data.resolve("cgroups"));
        Files.writeString(cgroups.resolve("dmem.capacity"), AMD_REGION + " 68719476736\n");
        yield () -> {
          List<Path> limits = limits(cgroups);
          assertThat(limits).hasSize(CyclingAgent.WARM_UP + CYCLES);
          assertThat(limits)
              .allSatisfy(limit -> assertThat(limit).content().startsWith(AMD_REGION + " max\n"));
        };
      }
    };
  }

  private static List<Path> limits(Path cgroups) throws IOException {
    try (Stream<Path> attempts = Files.list(cgroups)) {
      return attempts
          .filter(attempt -> attempt.getFileName().toString().startsWith("acme."))
          .map(attempt -> attempt.resolve("dmem.max"))
          .toList();
    }
  }

  /// Has an agent in a JVM of its own take jobs on and forget them.
  private List<Held> cycle(Mechanism mechanism) throws Exception {
    List<String> command = TestJvm.command();
    command.addAll(
        List.of(
            "-Dheadgate.log.level=WARN",
            "-Dheadgate.test.fakes=" + System.getProperty("headgate.test.fakes"),
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            CyclingAgent.class.getName(),
            data.toString(),
            mechanism.name(),
            Integer.toString(CYCLES)));
    Path said = data.resolve("said");
    Process agent =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    try {
      assertThat(agent.waitFor(PATIENCE.toSeconds() * 2 + CYCLES, TimeUnit.SECONDS))
          .as("it ends by itself")
          .isTrue();
      assertThat(agent.exitValue()).as(Files.readString(said)).isZero();
    } finally {
      agent.destroyForcibly().waitFor();
    }
    LOG.info("{} jobs by {}: {}", CYCLES, mechanism, Files.readString(said));
    return Files.readAllLines(data.resolve("held")).stream().map(Held::parse).toList();
  }

  private static long count(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.count();
    }
  }
}

package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.SliceGrant;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.type.v1.SlicePlacement;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The memory and the processor time that an agent takes while its jobs run on 8 GPUs, each divided
/// into 7.
///
/// `-Dheadgate.test.agent=…/bin/headgate-agent` names the program, which `.ci/run` unpacks from the
/// archive. On a machine that is slower than the reference, or busy with other work, the limit of
/// processor time grows by as much as a fixed piece of work takes longer there.
@EnabledIfSystemProperty(named = "headgate.test.agent", matches = ".+")
class IdleTest {
  private static final Logger LOG = LoggerFactory.getLogger(IdleTest.class);
  private static final int GPUS = 8;
  private static final int SLICES = 7;

  /// The JVM compiles what runs often: after 20 seconds that still takes a fifth of a percent of a
  /// core, after a minute a third of that.
  private static final Duration SETTLING = Duration.ofSeconds(60);

  private static final Duration MEASURED = Duration.ofSeconds(30);
  private static final int MAX_MIB = 120;

  /// The bound as a share of one core, which is also the goal.
  private static final double MAX_SHARE = 0.01;

  /// The goal is not reached for certain where the watch has a program to look at on each slice.
  private static final double MAX_SHARE_BUSY = 0.0125;

  /// Processor time of one piece of the fixed work on the reference, two idle virtual cores.
  private static final double REFERENCE_NANOS = 18_000;

  private static final int PIECES = 200;
  private static final Duration SCHEDULERS_INTERVAL = Duration.ofSeconds(2);
  private static final double TICKS_PER_SECOND = 100;

  @TempDir Path root;

  /// How each slice is used.
  private enum Use {
    /// It is an instance of MIG.
    MIG,
    /// Its memory is only watched, as closely as anything is.
    WATCHED,
    /// And there is something to see: a program on each.
    WATCHED_BUSY
  }

  @ParameterizedTest
  @EnumSource
  void takesLittle(Use use) throws Exception {
    boolean mig = use == Use.MIG;
    FakeGpus gpus = FakeGpus.in(root, Version.V580);
    for (int i = 0; i < GPUS; i++) {
      gpus.with(mig);
    }
    Path token = Files.writeString(root.resolve("token"), FakeControlPlane.JOIN_TOKEN);
    Path config =
        Files.writeString(
            root.resolve("agent.yaml"),
            "agent: {gpu: {driver: nvml, nvml: {library: %s}, lock: {use: false}}}\n"
                .formatted(gpus.library()));
    try (FakeControlPlane plane = new FakeControlPlane()) {
      plane.heartbeatInterval = SCHEDULERS_INTERVAL;
      Process agent =
          new ProcessBuilder(
                  System.getProperty("headgate.test.agent"),
                  "--config",
                  config.toString(),
                  "--data",
                  root.resolve("data").toString(),
                  "--node",
                  "idle",
                  "--server",
                  plane.uri().toString(),
                  "--join-token-file",
                  token.toString())
              .redirectErrorStream(true)
              .redirectOutput(new File(root + "/agent.log"))
              .start();
      try {
        await().atMost(FakeControlPlane.PATIENCE).until(() -> !plane.hellos.isEmpty());
        for (int i = 0; i < GPUS * SLICES; i++) {
          SliceGrant.Builder slice = Orders.slice(plane.registrations.getLast(), i / SLICES, "1/7");
          if (mig) {
            slice.setPlacement(
                SlicePlacement.newBuilder().setProfile("1g.10gb").setStart(i % SLICES).setSize(1));
          }
          plane.send(
              Orders.message(
                  Orders.assign(plane.leadership, "j" + i, "exec sleep 1000").addSlices(slice)));
        }
        for (int i = 0; i < GPUS * SLICES; i++) {
          plane.awaitState("j" + i, State.STATE_RUNNING);
        }
        if (use == Use.WATCHED_BUSY) {
          for (int gpu = 0; gpu < GPUS; gpu++) {
            gpus.processes(gpu, programs(gpu));
          }
        }
        pass(SETTLING);
        double before = cpuSeconds(agent);
        long begun = System.nanoTime();
        double slowness = Math.max(1, pass(MEASURED) / REFERENCE_NANOS);
        double share = (cpuSeconds(agent) - before) * 1e9 / (System.nanoTime() - begun);
        long mib = residentKib(agent) >> 10;
        String figures =
            "%d slices, %s: %d MiB resident, %.2f %% of a core, on a machine %.2f times as slow"
                .formatted(GPUS * SLICES, use, mib, 100 * share, slowness);
        LOG.info(figures);
        assertThat(mib).as(figures).isLessThanOrEqualTo(MAX_MIB);
        double max = use == Use.WATCHED_BUSY ? MAX_SHARE_BUSY : MAX_SHARE;
        assertThat(share).as(figures).isLessThanOrEqualTo(max * slowness);
      } finally {
        for (int i = 0; i < GPUS * SLICES; i++) {
          plane.send(Orders.stop(plane.leadership, "j" + i, Stop.Kind.KIND_CANCEL));
        }
        for (int i = 0; i < GPUS * SLICES; i++) {
          plane.awaitEnd("j" + i);
        }
        agent.destroy();
        agent.waitFor();
      }
    }
  }

  /// The processes of the jobs on a GPU, as NVML lists them.
  private String[] programs(int gpu) {
    return IntStream.range(gpu * SLICES, (gpu + 1) * SLICES)
        .mapToObj(i ->
            Processes.ofJob("HEADGATE_CHECKPOINT_DIR=" + root + "/data/checkpoints/acme/j" + i))
        .map(pids -> pids.getFirst() + " 1000000000 compute -1")
        .toArray(String[]::new);
  }

  /// Waits, and works a little each second.
  ///
  /// @return nanoseconds of processor time that one piece of work took
  private static double pass(Duration time) {
    long begun = System.nanoTime();
    List<Long> taken = new ArrayList<>();
    await()
        .atMost(time.multipliedBy(2))
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> {
          taken.add(work());
          return System.nanoTime() - begun > time.toNanos();
        });
    return taken.stream().mapToLong(Long::longValue).average().orElseThrow() / PIECES;
  }

  /// System calls and text, which is what an agent does most.
  private static long work() throws IOException {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadCpuTime();
    for (int i = 0; i < PIECES; i++) {
      assertThat(Files.readString(Path.of("/proc/self/stat"))).isNotEmpty();
    }
    return threads.getCurrentThreadCpuTime() - before;
  }

  private static double cpuSeconds(Process process) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
    // After the name: the state is the 3rd field of all, times of the user and the system 14 and
    // 15.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
  }

  private static long residentKib(Process process) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
        .findFirst()
        .orElseThrow();
  }
}

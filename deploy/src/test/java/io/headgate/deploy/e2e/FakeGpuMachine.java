package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.AgentConfig;
import io.headgate.agent.GpuConfig;
import io.headgate.agent.NodeAgent;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/// A machine whose agent finds GPUs by a fake of NVIDIA's library (see the fakes in node-agent's
/// tests). Files below `gpus` say what the GPUs are and what happens to them.
///
/// @param directory of the library, the files of the GPUs and the agent's data
record FakeGpuMachine(Path directory) {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final long GIB = 1L << 30;
  private static final int GPU_GIB = 80;

  /// With GPUs that are well and busy.
  static FakeGpuMachine with(Path directory, int gpus) throws Exception {
    Process compiler =
        new ProcessBuilder("sh", "../node-agent/src/test/c/build.sh", directory + "/fakes")
            .inheritIO()
            .start();
    assertThat(compiler.waitFor()).isZero();
    Files.copy(
        directory.resolve("fakes/libnvidia-ml-580.so.1"), directory.resolve("libnvidia-ml.so.1"));
    FakeGpuMachine machine = new FakeGpuMachine(directory);
    for (int gpu = 0; gpu < gpus; gpu++) {
      Files.createDirectories(machine.gpu(gpu, ""));
      machine.write(gpu, "name", "NVIDIA H100 80GB HBM3");
      machine.write(gpu, "uuid", "GPU-" + gpu);
      machine.write(gpu, "memory", GPU_GIB * GIB + " " + GIB);
      machine.write(gpu, "mig", "0");
      machine.readings(gpu, 87, 0);
    }
    return machine;
  }

  private Path gpu(int gpu, String file) {
    return directory.resolve("gpus/" + gpu).resolve(file);
  }

  private void write(int gpu, String file, String text) throws IOException {
    Path written = Files.writeString(gpu(gpu, file + ".new"), text + "\n");
    Files.move(written, gpu(gpu, file), StandardCopyOption.ATOMIC_MOVE);
  }

  /// Sets the readings of its sensors.
  ///
  /// @param percent of the time in which it computes
  /// @param corrected errors of its memory
  void readings(int gpu, int percent, int corrected) throws IOException {
    write(
        gpu,
        "readings",
        String.join(
            "\n",
            "utilization " + percent,
            "temperature 71",
            "power 512500",
            "energy " + 9_000_000L * (1 + corrected),
            "ecc-corrected " + corrected,
            "ecc-uncorrected 0",
            "throttle 4",
            "recovery 0"));
  }

  /// The driver loses it: it fell off the bus.
  void lose(int gpu) throws IOException {
    write(gpu, "lost", "");
  }

  void giveBack(int gpu) throws IOException {
    Files.delete(gpu(gpu, "lost"));
  }

  /// The driver reports an error of a GPU.
  void report(int gpu, int xid) throws IOException {
    Path written =
        Files.writeString(directory.resolve("gpus/events.new"), gpu + " 8 " + xid + "\n");
    Files.move(written, directory.resolve("gpus/events"), StandardCopyOption.ATOMIC_MOVE);
  }

  /// Its agent, which joins the pool and reads its GPUs often.
  NodeAgent agent(TestInstallation headgate, String node, String pool, Telemetry telemetry) {
    String joinToken = headgate.operator().createJoinToken(TestInstallation.TENANT, pool, 1);
    NodeAgent agent =
        new NodeAgent(
            AgentConfig.of(directory.resolve("agent"), node, headgate.installation().uri())
                .withSchedulers(headgate.installation().schedulerUris())
                .withJoinToken(Secret.of(joinToken))
                .withGpus(
                    new GpuConfig(
                        GpuConfig.Driver.NVML,
                        new GpuConfig.Nvml(
                            directory.resolve("libnvidia-ml.so.1").toString(), TIMEOUT),
                        GpuConfig.Rocm.DEFAULTS,
                        GpuConfig.Mig.DEFAULTS,
                        GpuConfig.Mps.DEFAULTS,
                        GpuConfig.Watchdog.DEFAULTS,
                        new GpuConfig.Health(Duration.ofMillis(200), true))),
            telemetry,
            TimeSource.system());
    agent.start();
    return agent;
  }

  /// The machine's number of a job's process, in its first attempt.
  long process(String job) throws IOException {
    try (var attempts = Files.list(directory.resolve("agent/attempts"))) {
      Path attempt =
          attempts
              .filter(each ->
                  each.getFileName()
                      .toString()
                      .startsWith(TestInstallation.TENANT + "." + job + ".1.0."))
              .findFirst()
              .orElseThrow();
      return Long.parseLong(
          Files.readString(attempt.resolve("status")).replaceAll("(?s).*\npid=(\\d+)\n.*", "$1"));
    }
  }

  /// Sets the answer of the driver about the programs on a GPU.
  ///
  /// @param gib of one process; 0: no program is there
  void programs(int gpu, long process, long gib) throws IOException {
    write(gpu, "processes", gib == 0 ? "" : process + " " + gib * GIB + " compute -1");
  }
}

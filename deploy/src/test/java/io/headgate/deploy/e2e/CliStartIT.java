package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Prints how long the command takes to start, run as by `deploy/headgate`, with a cache of its
/// own. It asserts no time: on a shared machine a time proves nothing.
class CliStartIT {
  private static final Logger LOG = LoggerFactory.getLogger(CliStartIT.class);
  private static final int RUNS = 5;

  @Test
  void theCommandStarts(@TempDir Path directory) throws Exception {
    Path cache = directory.resolve("cli.aot");
    time(java("-XX:AOTCacheOutput=" + cache), "io.headgate.sdk.cli.StartUpTraining");
    List<double[]> times = new ArrayList<>();
    List<String> java = java("-XX:AOTCache=" + cache, "-Xlog:aot*=off", "-Xlog:cds*=off");
    for (int i = 0; i < RUNS; i++) {
      times.add(time(java, "io.headgate.sdk.cli.HeadgateCli", "version"));
    }
    LOG.info(
        "headgate version: median of {}: {} s wall, {} s user, load average {}",
        RUNS,
        median(times, 0),
        median(times, 1),
        Files.readString(Path.of("/proc/loadavg")).split(" ", -1)[0]);
    assertThat(cache).isRegularFile();
  }

  private static double median(List<double[]> times, int column) {
    return times.stream().mapToDouble(time -> time[column]).sorted().toArray()[RUNS / 2];
  }

  private static List<String> java(String... flags) throws IOException {
    List<String> all =
        new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
    all.addAll(List.of(flags));
    return Packaged.CLI.java(all.toArray(String[]::new));
  }

  /// Wall-clock and user time in seconds, measured by bash.
  private static double[] time(List<String> java, String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("bash", "-c", "time \"$@\" >/dev/null", "time"));
    command.addAll(java);
    command.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("TIMEFORMAT", "%R %U");
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    String text = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(text).isZero();
    String last = text.lines().toList().getLast();
    return Arrays.stream(last.split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
  }
}

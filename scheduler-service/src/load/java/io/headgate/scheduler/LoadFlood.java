package io.headgate.scheduler;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalDouble;

/// [Programs without a token][LoadFlooders] flood the scheduler while a member's calls go on.
///
/// @param isApart whether the programs take only the processor time that is left, in a process of
///   the lowest priority. Attackers have machines of their own
/// @param addresses that the programs come from
record LoadFlood(
    LoadRig rig, LoadHonest honest, LoadFigures figures, boolean isApart, int addresses) {
  /// Niceness of Linux: the processes get a seventieth of the time of others.
  private static final String LOWEST = "19";

  void measure() {
    measure(isApart ? this::floodFromAProcess : this::flood);
  }

  private interface Flood {
    LoadFlooders.Done during(Runnable measurement);
  }

  private void measure(Flood flood) {
    double before = honest.measure("flood_before");
    double[] during = new double[1];
    LoadFlooders.Done done = flood.during(() -> during[0] = honest.measure("flood_during"));
    figures.print(
        "flood_p99_factor",
        Map.of(
            "apart",
            Boolean.toString(isApart),
            "addresses",
            Integer.toString(addresses),
            "resets",
            Integer.toString(done.resets()),
            "connections",
            Integer.toString(done.connections())),
        during[0] / before,
        "x",
        0,
        OptionalDouble.of(2));
    var _ = honest.measure("flood_after");
  }

  private LoadFlooders.Done flood(Runnable measurement) {
    LoadFlooders flooders = LoadFlooders.start(rig.port(), addresses);
    measurement.run();
    return flooders.stop();
  }

  private LoadFlooders.Done floodFromAProcess(Runnable measurement) {
    try {
      Process flooders =
          new ProcessBuilder(
                  "nice",
                  "-n",
                  LOWEST,
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  LoadFlooders.class.getName(),
                  Integer.toString(rig.port()),
                  Integer.toString(addresses))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (BufferedReader lines = flooders.inputReader()) {
        String ready = lines.readLine();
        if (!LoadFlooders.READY.equals(ready)) {
          throw new IllegalStateException("no flood begins: " + ready);
        }
        measurement.run();
        flooders.getOutputStream().close();
        return LoadFlooders.Done.parse(lines.readLine());
      } finally {
        flooders.destroy();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

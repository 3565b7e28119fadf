package io.headgate.scheduler;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/// [Programs without a token][LoadFlooders] flood the scheduler from the address of all its clients,
/// while a member's calls go on.
///
/// @param isApart whether the programs have processors of their own, as attackers have. Scheduler,
///   database and honest clients share the others then, before, during and after the flood
record LoadFlood(
    LoadRig rig, LoadHonest honest, LoadFigures figures, boolean isApart) {

  void measure() {
    if (isApart) {
      try (LoadProcessors processors = rig.together()) {
        measure(measurement -> flood(processors, measurement));
      }
    } else {
      measure(this::flood);
    }
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
    LoadFlooders flooders = LoadFlooders.start(rig.port());
    measurement.run();
    return flooders.stop();
  }

  private LoadFlooders.Done flood(LoadProcessors processors, Runnable measurement) {
    try {
      Process flooders =
          processors.startOnOthers(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  LoadFlooders.class.getName(),
                  Integer.toString(rig.port())));
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

package io.headgate.deploy.simulate;

import io.headgate.deploy.simulate.openb.Machine;
import io.headgate.deploy.simulate.openb.PackingProtocol;
import io.headgate.deploy.simulate.openb.PackingResult;
import io.headgate.deploy.simulate.openb.Pod;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.sdk.cli.output.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// `headgate simulate --openb`: one run of the packing benchmark.
final class PackingOptions {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MOST_TUNE = 10;
  private static final String DEFAULT_POLICY = "rfp";

  @Option(
      names = "--openb",
      arity = "2",
      required = true,
      paramLabel = "FILE",
      description =
          "Run the packing benchmark on a trace of the openb family. CSV files of nodes and pods.")
  private Path @Nullable [] files;

  @Option(
      names = "--tune",
      paramLabel = "FACTOR",
      defaultValue = "1.3",
      description = "GPUs that the pods ask for, relative to the GPUs of the nodes. Default: 1.3.")
  private double tune;

  boolean isAsked() {
    return files != null;
  }

  /// The result as one JSON object.
  String run(PlacementOptions placement) throws IOException {
    if (files == null) {
      throw new IllegalStateException("--openb was not given");
    }
    if (!(tune >= 0 && tune <= MOST_TUNE)) {
      throw new UsageException(
          "--tune %s is not between 0 and 10".formatted(tune),
          "BAD_FLAG_VALUE",
          "1.3 lets tasks arrive that ask for 1.3 times the GPUs of the nodes");
    }
    PlacementPolicy chosen = placement.choose(DEFAULT_POLICY);
    List<Machine> machines = TraceFiles.read(files[0], Machine::parse);
    List<Pod> pods = TraceFiles.read(files[1], Pod::parse);
    long begun = System.nanoTime();
    PackingResult result = PackingProtocol.run(machines, pods, placement.seed(), tune, chosen);
    double seconds = (System.nanoTime() - begun) / NANOS_PER_SECOND;
    return new JsonObject()
        .put("workload", String.valueOf(files[1].getFileName()).replaceFirst("\\.csv$", ""))
        .put("seed", placement.seed())
        .put("policy", placement.name(DEFAULT_POLICY))
        .put("arrived", result.arrived())
        .put("placed", result.placed())
        .put("allocation", byLoad(result.allocation(), 2))
        .put("fragmentation", byLoad(result.fragmentation(), 1))
        .put("seconds", seconds, 1)
        .toString();
  }

  private static JsonObject byLoad(SortedMap<Integer, Double> values, int decimals) {
    JsonObject object = new JsonObject();
    values.forEach((load, value) -> object.put(Integer.toString(load), value, decimals));
    return object;
  }
}

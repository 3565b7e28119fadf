package io.headgate.deploy.simulate;

import io.headgate.scheduler.core.catalog.PlacementPolicy;
import io.headgate.sdk.cli.output.UsageException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// How the places of a trace's jobs are chosen.
final class PlacementOptions {
  private static final long DEFAULT_SEED = 42;

  @Option(
      names = "--policy",
      paramLabel = "POLICY",
      description =
          "How places are chosen: tightest-fit, rfp, fgd, best-fit or random. Default: rfp for"
              + " --openb, what is used live for a replay.")
  private @Nullable String policy;

  @Option(
      names = "--seed",
      paramLabel = "SEED",
      description =
          "With --openb of the order of nodes and pods, and of random places. Default: 42.")
  private @Nullable Long seed;

  boolean isGiven() {
    return policy != null || seed != null;
  }

  long seed() {
    return seed == null ? DEFAULT_SEED : seed;
  }

  String name(String otherwise) {
    return policy == null ? otherwise : policy;
  }

  PlacementPolicy choose(String otherwise) {
    String name = name(otherwise);
    return switch (name) {
      case "tightest-fit" -> new PlacementPolicy.TightestFit();
      case "rfp" -> new PlacementPolicy.RollOutFill();
      case "fgd" -> new PlacementPolicy.LeastStranded();
      case "best-fit" -> new PlacementPolicy.BestFit();
      case "random" -> new PlacementPolicy.Chance(seed());
      default ->
          throw new UsageException(
              "\"%s\" is not a value of --policy".formatted(name),
              "BAD_FLAG_VALUE",
              "values: tightest-fit, rfp, fgd, best-fit, random");
    };
  }
}

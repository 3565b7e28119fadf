package io.headgate.deploy.simulate;

import io.headgate.deploy.simulate.placement.BestFit;
import io.headgate.deploy.simulate.placement.RandomFit;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.StandardPlacement;
import io.headgate.sdk.cli.output.UsageException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Options that choose the placement policy for a trace's jobs.
final class PlacementOptions {
  private static final long DEFAULT_SEED = 42;

  @Option(
      names = "--policy",
      paramLabel = "POLICY",
      description =
          "Placement policy: tightest-fit, rfp, fgd, best-fit or random. Default: rfp for --openb,"
              + " tightest-fit for a replay.")
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
      case "tightest-fit" -> StandardPlacement.TIGHTEST_FIT;
      case "rfp" -> StandardPlacement.ROLL_OUT_FILL;
      case "fgd" -> StandardPlacement.LEAST_STRANDED;
      case "best-fit" -> new BestFit();
      case "random" -> new RandomFit(seed());
      default ->
          throw new UsageException(
              "\"%s\" is not a value of --policy".formatted(name),
              "BAD_FLAG_VALUE",
              "values: tightest-fit, rfp, fgd, best-fit, random");
    };
  }
}

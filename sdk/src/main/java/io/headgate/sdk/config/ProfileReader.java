package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;

/// Reads the `profiles` section.
final class ProfileReader {
  private static final List<String> KEYS =
      List.of(
          "name",
          "gpus",
          "workers",
          "cpus",
          "memory",
          "gpuMemory",
          "isolation",
          "gpuModels",
          "images",
          "pools",
          "holdAfter",
          "preemptionDelay",
          "reclaim",
          "description");

  private static final int MAX_MODELS = 100;
  private static final int MAX_MODEL_LENGTH = 64;

  private final SectionNames sections;

  ProfileReader(SectionNames sections) {
    this.sections = sections;
  }

  List<Profile> read(MappingReader root) {
    List<Profile> profiles = new ArrayList<>();
    for (MappingReader fields : root.items("profiles", KEYS)) {
      profiles.add(profile(fields));
    }
    return profiles;
  }

  private Profile profile(MappingReader fields) {
    ValueReader values = new ValueReader(fields);
    String name = values.id("name", "give the profile a name");
    sections.profiles().claim(fields, name);
    GpuQuantity gpus = values.quantity("gpus", "say how many GPUs a worker needs; 0 for none");
    checkWholeAboveOne(fields, gpus);
    List<String> pools = values.references("pools", sections.pools());
    if (pools.isEmpty() && fields.problems().clean(fields.path("pools"), fields.path("pools[0]"))) {
      withoutPool(fields, name);
    }
    return new Profile(
        name,
        gpus,
        values.integer("workers", 1, 1, 10_000),
        values.cpuMillis("cpus"),
        values.bytes("memory"),
        values.bytes("gpuMemory"),
        values.keywordOrNull("isolation", Profile.Isolation.class),
        values.texts("gpuModels", MAX_MODELS, MAX_MODEL_LENGTH),
        values.flag("images", false),
        pools,
        values.duration("holdAfter", Profile.DEFAULT_HOLD_AFTER),
        values.duration("preemptionDelay", Profile.DEFAULT_PREEMPTION_DELAY),
        values.keyword("reclaim", Profile.Reclaim.RESERVATION),
        values.textOrNull("description", 1000));
  }

  private static void checkWholeAboveOne(MappingReader fields, GpuQuantity gpus) {
    YamlTree.Scalar scalar = fields.scalar("gpus");
    if (scalar == null || gpus.isFraction() || gpus.isWhole()) {
      return;
    }
    long whole = gpus.units() / GpuQuantity.UNITS_PER_GPU;
    fields
        .problems()
        .add(
            Problem.of(
                    "NOT_WHOLE",
                    "more than one GPU must be whole, " + scalar.text() + " is not",
                    scalar.span(),
                    fields.path("gpus"))
                .value(scalar.text())
                .note("between " + whole + " and " + (whole + 1))
                .next("write " + whole + " or " + (whole + 1)));
  }

  private static void withoutPool(MappingReader fields, String name) {
    YamlTree pools = fields.value("pools");
    fields
        .problems()
        .add(
            Problem.of(
                    "PROFILE_WITHOUT_POOL",
                    "profile \"" + name + "\" has no pool to run in",
                    pools == null ? fields.span() : pools.span(),
                    fields.path("pools"))
                .note("its jobs could never start")
                .next("name its pools in routing order: pools: [NAME, …]"));
  }
}

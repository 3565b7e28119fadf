package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import io.headgate.type.NameRule;
import java.util.ArrayList;
import java.util.List;

/// Reads the `profiles` section.
final class ProfileReader {

  private final SectionNames sections;

  ProfileReader(SectionNames sections) {
    this.sections = sections;
  }

  List<Profile> read(MappingReader root) {
    List<Profile> profiles = new ArrayList<>();
    for (MappingReader fields : root.items("profiles", ConfigurationKeys.PROFILES.names())) {
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
    List<String> pools = pools(fields, values);
    if (pools.isEmpty() && fields.problems().clean(fields.path("pools"), fields.path("pools[0]"))) {
      withoutPool(fields, name);
    }
    return new Profile(
        name,
        gpus,
        values.integer(ConfigurationKeys.WORKERS),
        values.cpuMillis("cpus"),
        values.bytes("memory"),
        values.bytes("gpuMemory"),
        values.keywordOrNull(ConfigurationKeys.ISOLATION),
        values.texts(ConfigurationKeys.GPU_MODELS),
        values.flag(ConfigurationKeys.IMAGES),
        pools,
        values.duration(ConfigurationKeys.HOLD_AFTER),
        values.duration(ConfigurationKeys.PREEMPTION_DELAY),
        values.keyword(ConfigurationKeys.RECLAIM),
        values.textOrNull(FileKey.DESCRIPTION));
  }

  /// Pools that the file declares, and shared ones; a scenario has no shared pools.
  private List<String> pools(MappingReader fields, ValueReader values) {
    if (sections.isScenario()) {
      return values.references("pools", sections.pools());
    }
    List<String> pools = values.ids("pools", ProfileReader::isShared);
    for (MappingReader.Element element : fields.elements("pools")) {
      if (!isShared(element.scalar().text())) {
        sections.pools().check(element.scalar(), element.field(), fields.problems());
      }
    }
    return pools;
  }

  private static boolean isShared(String pool) {
    return Configuration.isShared(pool) && NameRule.isValid(pool.substring(pool.indexOf('/') + 1));
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

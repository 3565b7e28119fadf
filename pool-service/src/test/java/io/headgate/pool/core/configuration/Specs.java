package io.headgate.pool.core.configuration;

import io.headgate.kit.decision.Outcome;
import io.headgate.pool.core.Denial;
import io.headgate.pool.core.configuration.ConfigurationSpec.DedicationSpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.ElasticitySpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.PoolSpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.ProfileSpec;
import io.headgate.pool.core.node.Isolation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Specs whose defaults are good: a test names only what matters to it.
public final class Specs {
  private Specs() {}

  public static ConfigurationSpec spec(List<PoolSpec> pools, List<ProfileSpec> profiles) {
    return new ConfigurationSpec(pools, profiles);
  }

  public static PoolSpec pool(String id) {
    return pool(id, "", "");
  }

  public static PoolSpec pool(String id, String model, String capacity, String... order) {
    return new PoolSpec(
        id,
        false,
        model,
        capacity,
        false,
        List.of(order),
        Optional.empty(),
        "",
        "",
        "",
        Optional.empty(),
        Optional.empty(),
        PoolRules.DEFAULT,
        "");
  }

  /// A static pool whose machines have at most `instance`.
  public static PoolSpec bounded(String id, String model, Instance instance) {
    return new PoolSpec(
        id,
        false,
        model,
        "",
        false,
        List.of(),
        Optional.empty(),
        "",
        "",
        "",
        Optional.empty(),
        Optional.of(instance),
        PoolRules.DEFAULT,
        "");
  }

  /// A static pool whose checkpoints are on a storage.
  public static PoolSpec stored(String id, String storage) {
    return new PoolSpec(
        id,
        false,
        "",
        "",
        false,
        List.of(),
        Optional.empty(),
        "",
        "",
        storage,
        Optional.empty(),
        Optional.empty(),
        PoolRules.DEFAULT,
        "");
  }

  /// A static pool with options of the rules.
  static PoolSpec ruled(String id, PoolRules rules) {
    return new PoolSpec(
        id,
        false,
        "",
        "",
        false,
        List.of(),
        Optional.empty(),
        "",
        "",
        "",
        Optional.empty(),
        Optional.empty(),
        rules,
        "");
  }

  public static PoolSpec dedicated(String id, DedicationSpec owner) {
    return new PoolSpec(
        id,
        false,
        "",
        "",
        false,
        List.of(),
        Optional.of(owner),
        "",
        "",
        "",
        Optional.empty(),
        Optional.empty(),
        PoolRules.DEFAULT,
        "");
  }

  public static PoolSpec priced(String id, String price, String currency) {
    return new PoolSpec(
        id,
        false,
        "",
        "",
        false,
        List.of(),
        Optional.empty(),
        price,
        currency,
        "",
        Optional.empty(),
        Optional.empty(),
        PoolRules.DEFAULT,
        "");
  }

  public static PoolSpec elastic(String id, String model, ElasticitySpec elasticity) {
    return new PoolSpec(
        id,
        true,
        model,
        "",
        false,
        List.of(),
        Optional.empty(),
        "",
        "",
        "",
        Optional.of(elasticity),
        Optional.empty(),
        PoolRules.DEFAULT,
        "");
  }

  public static ElasticitySpec elasticity(Instance instance, int min, int max) {
    return new ElasticitySpec(
        "exec", Map.of("scaleUp", "./up.sh"), instance, min, max, Optional.empty(), false);
  }

  public static Instance instance(int gpus, String model) {
    return new Instance(
        gpus,
        model.isEmpty() ? Optional.empty() : Optional.of(model),
        gpus == 0 ? 0 : 80L << 30,
        96_000,
        1100L << 30);
  }

  public static ProfileSpec profile(String id, String gpus, String... pools) {
    return new ProfileSpec(
        id,
        gpus,
        0,
        4000,
        16L << 30,
        0,
        Isolation.NONE,
        List.of(),
        false,
        List.of(pools),
        Optional.empty(),
        Optional.empty(),
        Reclaim.RESERVATION,
        "");
  }

  public static ProfileSpec holding(String id, Duration holdAfter, String... pools) {
    ProfileSpec base = profile(id, "1", pools);
    return new ProfileSpec(
        id,
        base.gpus(),
        0,
        base.cpuMillis(),
        base.memoryBytes(),
        0,
        base.isolation(),
        base.gpuModels(),
        base.images(),
        base.pools(),
        Optional.of(holdAfter),
        base.preemptionDelay(),
        base.reclaim(),
        "");
  }

  /// The configuration that a good spec is.
  public static Configuration read(ConfigurationSpec spec) {
    return accepted(ConfigurationReader.read(spec, Set.of()));
  }

  public static <T> T accepted(Outcome<T, Denial> outcome) {
    return switch (outcome) {
      case Outcome.Accepted<T, Denial>(T value) -> value;
      case Outcome.Denied<T, Denial>(List<Denial> denials) -> throw new AssertionError(denials);
    };
  }

  public static List<Denial> denied(Outcome<?, Denial> outcome) {
    return switch (outcome) {
      case Outcome.Accepted<?, Denial>(Object value) ->
          throw new AssertionError("accepted: " + value);
      case Outcome.Denied<?, Denial>(List<Denial> denials) -> denials;
    };
  }
}

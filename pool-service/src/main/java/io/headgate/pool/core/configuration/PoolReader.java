package io.headgate.pool.core.configuration;

import io.headgate.kit.decision.Problems;
import io.headgate.pool.core.Denial;
import io.headgate.pool.core.FieldChecks;
import io.headgate.pool.core.configuration.ConfigurationSpec.DedicationSpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.ElasticitySpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.PoolSpec;
import io.headgate.pool.core.name.GroupId;
import io.headgate.pool.core.name.Kind;
import io.headgate.pool.core.name.PolicyId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.pool.core.name.StorageId;
import io.headgate.type.GpuQuantity;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Currency;
import java.util.List;
import java.util.Optional;

/// Reads one pool and checks everything that does not depend on others.
final class PoolReader {
  private static final String PRICE = "[0-9]{1,9}([.][0-9]{1,6})?";
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final int MAX_INSTANCES = 100_000;
  private static final int MAX_INSTANCE_GPUS = 64;
  private static final int MAX_SETTINGS = 100;
  private static final int MAX_SETTING_LENGTH = 10_000;
  private static final int MAX_NAME_LENGTH = 64;
  private static final int MAX_DESCRIPTION_LENGTH = 1000;

  private final Problems<Denial> problems;
  private final FieldChecks checks;

  PoolReader(Problems<Denial> problems) {
    this.problems = problems;
    this.checks = new FieldChecks(problems);
  }

  /// The pool; empty if it has no id. With other problems, the result only serves to find more
  /// problems.
  ///
  /// @param path of the pool in the request
  Optional<Pool> read(String path, PoolSpec spec) {
    Optional<PoolId> id = checks.id(path + ".name", Kind.POOL, spec.id(), PoolId::new);
    Optional<String> model =
        checks.optionalText(path + ".gpu_model", spec.gpuModel(), MAX_NAME_LENGTH);
    Optional<GpuQuantity> capacity =
        spec.capacity().isEmpty()
            ? Optional.empty()
            : checks.quantity(path + ".capacity", spec.capacity());
    List<ProfileId> order =
        checks.ids(path + ".profile_order", Kind.PROFILE, spec.order(), ProfileId::new);
    Optional<Dedication> dedication =
        spec.dedicatedTo().flatMap(owner -> dedication(path + ".dedicated_to", owner));
    Optional<Price> price = price(path, spec);
    Optional<StorageId> storage =
        spec.storage().isEmpty()
            ? Optional.empty()
            : checks.id(path + ".storage", Kind.STORAGE, spec.storage(), StorageId::new);
    requireTypeAndElasticityToAgree(path, spec);
    Optional<Elasticity> elasticity =
        spec.elasticity().map(asked -> elasticity(path + ".elasticity", asked));
    elasticity.ifPresent(
        grown -> requireOneModel(path + ".elasticity.instance.gpu_model", model, grown.instance()));
    spec.instance().ifPresent(most -> staticInstance(path, spec, most));
    PoolRules rules = spec.rules();
    rules
        .promoteAfter()
        .ifPresent(after -> checks.duration(path + ".promote_after", after, SHORTEST));
    rules
        .halfLife()
        .ifPresent(half -> checks.duration(path + ".fairness.half_life", half, SHORTEST));
    checks.text(path + ".description", spec.description(), MAX_DESCRIPTION_LENGTH);
    return id.map(known ->
        new Pool(
            known,
            model,
            capacity,
            spec.migAuto(),
            order,
            dedication,
            price,
            storage,
            elasticity,
            spec.instance(),
            spec.rules(),
            spec.description()));
  }

  private Optional<Dedication> dedication(String path, DedicationSpec spec) {
    return switch (spec) {
      case DedicationSpec.ToPolicy(String policy) ->
          checks
              .id(path + ".policy", Kind.POLICY, policy, PolicyId::new)
              .map(Dedication.ToPolicy::new);
      case DedicationSpec.ToGroup(String group) ->
          checks.id(path + ".group", Kind.GROUP, group, GroupId::new).map(Dedication.ToGroup::new);
    };
  }

  private Optional<Price> price(String path, PoolSpec spec) {
    String text = spec.pricePerGpuHour();
    Optional<String> currency = currency(path + ".currency", spec.currency());
    if (text.isEmpty()) {
      if (!spec.currency().isEmpty()) {
        problems.add(
            new Denial.Contradiction(
                path + ".currency",
                "'" + spec.currency() + "' is the currency of no price: set price_per_gpu_hour"));
      }
      return Optional.empty();
    }
    if (!text.matches(PRICE)) {
      problems.add(new Denial.MalformedPrice(path + ".price_per_gpu_hour", text));
      return Optional.empty();
    }
    return Optional.of(new Price(new BigDecimal(text), currency));
  }

  private Optional<String> currency(String field, String code) {
    boolean known =
        code.isEmpty()
            || Currency.getAvailableCurrencies().stream()
                .anyMatch(currency -> currency.getCurrencyCode().equals(code));
    if (!known) {
      problems.add(new Denial.UnknownCurrency(field, code));
    }
    return code.isEmpty() ? Optional.empty() : Optional.of(code);
  }

  private void requireTypeAndElasticityToAgree(String path, PoolSpec spec) {
    if (spec.elastic() && spec.elasticity().isEmpty()) {
      problems.add(
          new Denial.Contradiction(
              path + ".elasticity",
              "an elastic pool needs it: set provider, instance and max_instances, or make the"
                  + " pool static"));
    }
    if (!spec.elastic() && spec.elasticity().isPresent()) {
      problems.add(
          new Denial.Contradiction(
              path + ".elasticity",
              "a static pool has none: leave it out, or set the type to elastic"));
    }
  }

  private Elasticity elasticity(String path, ElasticitySpec spec) {
    checks.optionalText(path + ".provider", spec.provider(), MAX_NAME_LENGTH);
    if (spec.provider().isEmpty()) {
      problems.add(
          new Denial.Contradiction(
              path + ".provider", "an elastic pool needs a provider: name a plug-in"));
    }
    checks.within(path + ".settings", spec.settings().size(), 0, MAX_SETTINGS);
    spec.settings()
        .forEach((key, value) -> {
          String field = path + ".settings[\"" + key + "\"]";
          checks.optionalText(field, key, MAX_NAME_LENGTH);
          checks.text(field, value, MAX_SETTING_LENGTH);
        });
    instance(path + ".instance", spec.instance());
    requireModel(path + ".instance.gpu_model", spec.instance());
    checks.within(path + ".max_instances", spec.maxInstances(), 1, MAX_INSTANCES);
    checks.within(path + ".min_instances", spec.minInstances(), 0, spec.maxInstances());
    Duration idle = spec.idleTimeout().orElse(Elasticity.DEFAULT_IDLE_TIMEOUT);
    checks.duration(path + ".idle_timeout", idle);
    return new Elasticity(
        spec.provider(),
        spec.settings(),
        spec.instance(),
        spec.minInstances(),
        spec.maxInstances(),
        idle,
        spec.spot());
  }

  private void instance(String path, Instance instance) {
    checks.within(path + ".gpus", instance.gpus(), 0, MAX_INSTANCE_GPUS);
    checks.within(path + ".gpu_memory_bytes", instance.gpuMemoryBytes(), 0, Long.MAX_VALUE);
    checks.within(path + ".cpu_millis", instance.cpuMillis(), 0, Long.MAX_VALUE);
    checks.within(path + ".memory_bytes", instance.memoryBytes(), 0, Long.MAX_VALUE);
    checks.optionalText(path + ".gpu_model", instance.gpuModel().orElse(""), MAX_NAME_LENGTH);
    if (instance.gpus() == 0
        && (instance.gpuModel().isPresent() || instance.gpuMemoryBytes() > 0)) {
      problems.add(
          new Denial.Contradiction(
              path + ".gpus",
              "an instance with a GPU model or GPU memory has GPUs: say how many, or leave both"
                  + " out"));
    }
  }

  /// The scheduler chooses instances by their model before they exist.
  private void requireModel(String field, Instance instance) {
    if (instance.gpus() > 0 && instance.gpuModel().isEmpty()) {
      problems.add(
          new Denial.Contradiction(
              field, "an instance with GPUs needs their model, for example H100"));
    }
  }

  private void staticInstance(String path, PoolSpec spec, Instance most) {
    if (spec.elastic()) {
      problems.add(
          new Denial.Contradiction(
              path + ".instance",
              "an elastic pool has it in elasticity.instance: leave it out here"));
      return;
    }
    instance(path + ".instance", most);
    if (most.gpus() == 0 && !spec.gpuModel().isEmpty()) {
      problems.add(
          new Denial.Contradiction(
              path + ".instance.gpus",
              "a machine of a pool of '"
                  + spec.gpuModel()
                  + "' has GPUs: say how many at most, or leave the instance out"));
    }
    requireOneModel(
        path + ".instance.gpu_model",
        spec.gpuModel().isEmpty() ? Optional.empty() : Optional.of(spec.gpuModel()),
        most);
  }

  private void requireOneModel(String field, Optional<String> model, Instance instance) {
    if (model.isPresent()
        && instance.gpuModel().isPresent()
        && !model.equals(instance.gpuModel())) {
      problems.add(
          new Denial.Contradiction(
              field,
              "'"
                  + instance.gpuModel().get()
                  + "' does not belong to a pool of '"
                  + model.get()
                  + "': make the two equal, or leave the pool's gpu_model out"));
    }
  }
}

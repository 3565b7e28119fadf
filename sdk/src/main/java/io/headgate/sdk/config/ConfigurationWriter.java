package io.headgate.sdk.config;

import io.headgate.sdk.config.Pool.Dedication;
import io.headgate.sdk.config.Pool.Elasticity;
import io.headgate.sdk.config.Pool.Instance;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Writes a configuration in the format that [ConfigurationReader] reads. Values equal to their
/// default are left out, so that a file states only decisions.
public final class ConfigurationWriter {
  private ConfigurationWriter() {}

  public static String write(Configuration configuration) {
    YamlText yaml = new YamlText();
    yaml.entry("apiVersion", Configuration.API_VERSION);
    if (configuration.isPlatform()) {
      yaml.entry("kind", Configuration.PLATFORM_KIND);
      yaml.section("pools", configuration.pools(), ConfigurationWriter::pool);
      yaml.section("tenants", configuration.parts(), ConfigurationWriter::part);
      return yaml.toString();
    }
    yaml.entry("kind", Configuration.KIND);
    if (configuration.tenant() != null) {
      yaml.entry("tenant", configuration.tenant());
    }
    yaml.unlessDefault(
        "visibility", configuration.visibility().keyword(), Visibility.OWN.keyword());
    if (configuration.admins() != null) {
      yaml.list("admins", configuration.admins());
    }
    body(yaml, configuration);
    return yaml.toString();
  }

  /// The budget and the sections, without the file's header.
  static void body(YamlText yaml, Configuration configuration) {
    budget(yaml, configuration.budget());
    yaml.section("tenants", configuration.tenants(), ConfigurationWriter::tenant);
    yaml.section("groups", configuration.groups(), ConfigurationWriter::group);
    yaml.section("pools", configuration.pools(), ConfigurationWriter::pool);
    yaml.section("profiles", configuration.profiles(), ConfigurationWriter::profile);
    yaml.section("departments", configuration.departments(), ConfigurationWriter::department);
    yaml.section("policies", configuration.policies(), ConfigurationWriter::policy);
    yaml.section("vaults", configuration.vaults(), ConfigurationWriter::vault);
  }

  private static void tenant(YamlText yaml, Tenant tenant) {
    yaml.entry("name", tenant.name());
    yaml.inlineItems("shares", tenant.shares(), ConfigurationWriter::share);
  }

  private static void part(YamlText yaml, TenantPart part) {
    yaml.entry("name", part.name());
    yaml.names("pools", part.pools());
    yaml.unlessDefault("reservation", part.reservation(), GpuQuantity.ZERO);
    yaml.entryOrNothing("limit", part.limit());
    yaml.unlessDefault("weight", part.weight(), 1);
  }

  private static void share(YamlText.Inline line, Tenant.Share share) {
    line.entry("pool", share.pool());
    line.unlessDefault("reservation", share.reservation().toString(), "0");
    line.entryOrNothing("limit", share.limit());
    line.unlessDefault("weight", share.weight(), 1);
  }

  private static void group(YamlText yaml, Group group) {
    yaml.entry("name", group.name());
    yaml.names("users", group.users());
    yaml.names("serviceAccounts", group.serviceAccounts());
    yaml.names("leads", group.leads());
  }

  private static void pool(YamlText yaml, Pool pool) {
    yaml.entry("name", pool.name());
    yaml.entry("type", pool.type().keyword());
    yaml.entryOrNothing("gpuModel", pool.gpuModel());
    yaml.entryOrNothing("capacity", pool.capacity());
    yaml.unlessDefault("mig", pool.mig().keyword(), Pool.Mig.KEEP.keyword());
    yaml.names("order", pool.order());
    Pool.Rules rules = pool.rules();
    yaml.entryOrNothing("promoteAfter", duration(rules.promoteAfter()));
    yaml.unlessDefault("consolidate", rules.consolidate(), false);
    if (rules.halfLife() != null) {
      yaml.mapping(
          "fairness", inner -> inner.entryOrNothing("halfLife", duration(rules.halfLife())));
    }
    switch (pool.dedicatedTo()) {
      case null -> {}
      case Dedication.ToPolicy(String owner) ->
          yaml.mapping("dedicatedTo", inner -> inner.entry("policy", owner));
      case Dedication.ToGroup(String owner) ->
          yaml.mapping("dedicatedTo", inner -> inner.entry("group", owner));
    }
    if (pool.pricePerGpuHour() != null) {
      yaml.entry("pricePerGpuHour", pool.pricePerGpuHour().toPlainString());
    }
    yaml.entryOrNothing("currency", pool.currency());
    yaml.entryOrNothing("storage", pool.storage());
    yaml.entryOrNothing("description", pool.description());
    Instance most = pool.instance();
    if (most != null) {
      yaml.mapping("instance", inner -> instance(inner, most));
    }
    if (pool.elasticity() != null) {
      elasticity(yaml, pool.elasticity());
    }
  }

  private static void elasticity(YamlText yaml, Elasticity elasticity) {
    yaml.entry("provider", elasticity.provider());
    if (!elasticity.settings().isEmpty()) {
      yaml.mapping("settings", inner -> elasticity.settings().forEach(inner::entry));
    }
    yaml.mapping("instance", inner -> instance(inner, elasticity.instance()));
    yaml.unlessDefault("minInstances", elasticity.minInstances(), 0);
    yaml.entry("maxInstances", String.valueOf(elasticity.maxInstances()));
    yaml.unlessDefault(
        "idleTimeout",
        DurationText.format(elasticity.idleTimeout()),
        DurationText.format(Elasticity.DEFAULT_IDLE_TIMEOUT));
    yaml.unlessDefault("spot", elasticity.spot(), false);
  }

  private static void instance(YamlText yaml, Instance instance) {
    yaml.entry("gpus", String.valueOf(instance.gpus()));
    yaml.entryOrNothing("gpuModel", instance.gpuModel());
    bytes(yaml, "gpuMemory", instance.gpuMemoryBytes());
    cpus(yaml, instance.cpuMillis());
    bytes(yaml, "memory", instance.memoryBytes());
  }

  private static void profile(YamlText yaml, Profile profile) {
    yaml.entry("name", profile.name());
    yaml.entry("gpus", profile.gpus().toString());
    yaml.unlessDefault("workers", profile.workers(), 1);
    cpus(yaml, profile.cpuMillis());
    bytes(yaml, "memory", profile.memoryBytes());
    bytes(yaml, "gpuMemory", profile.gpuMemoryBytes());
    if (profile.isolation() != null) {
      yaml.entry("isolation", profile.isolation().keyword());
    }
    yaml.names("gpuModels", profile.gpuModels());
    yaml.unlessDefault("images", profile.images(), false);
    yaml.names("pools", profile.pools());
    yaml.unlessDefault(
        "holdAfter",
        DurationText.format(profile.holdAfter()),
        DurationText.format(Profile.DEFAULT_HOLD_AFTER));
    yaml.unlessDefault(
        "preemptionDelay",
        DurationText.format(profile.preemptionDelay()),
        DurationText.format(Profile.DEFAULT_PREEMPTION_DELAY));
    yaml.unlessDefault(
        "reclaim", profile.reclaim().keyword(), Profile.Reclaim.RESERVATION.keyword());
    yaml.entryOrNothing("description", profile.description());
  }

  private static void department(YamlText yaml, Department department) {
    yaml.entry("name", department.name());
    yaml.entryOrNothing("tenant", department.tenant());
    yaml.entryOrNothing("department", department.department());
    yaml.entryOrNothing("reservation", department.reservation());
    yaml.entryOrNothing("limit", department.limit());
    yaml.unlessDefault("weight", department.weight(), 1);
    budget(yaml, department.budget());
  }

  private static void policy(YamlText yaml, Policy policy) {
    yaml.entry("name", policy.name());
    yaml.entryOrNothing("tenant", policy.tenant());
    yaml.entry("group", policy.group());
    yaml.entryOrNothing("department", policy.department());
    yaml.unlessDefault("reservation", policy.reservation(), GpuQuantity.ZERO);
    yaml.entry("limit", policy.limit().toString());
    yaml.unlessDefault("weight", policy.weight(), 1);
    yaml.entryOrNothing("perUserLimit", policy.perUserLimit());
    yaml.names("exceedLimit", policy.exceedLimit());
    yaml.unlessDefault(
        "onPreempt", policy.onPreempt().keyword(), Policy.OnPreempt.REQUEUE.keyword());
    yaml.unlessDefault("minRuntime", DurationText.format(policy.minRuntime()), "0s");
    yaml.unlessDefault("preemptAfter", DurationText.format(policy.preemptAfter()), "0s");
    Policy.Grace grace = policy.grace();
    if (!grace.equals(Policy.Grace.NONE)) {
      yaml.mapping(
          "grace",
          inner -> {
            inner.entryOrNothing("callback", duration(grace.callback()));
            inner.entryOrNothing("terminate", duration(grace.terminate()));
          });
    }
    yaml.unlessDefault("preemptible", policy.preemptible(), true);
    yaml.unlessDefault(
        "preemptWithin", policy.preemptWithin().keyword(), Policy.PreemptWithin.NEVER.keyword());
    yaml.unlessDefault(
        "stopAfter", stopAfter(policy.stopAfter()), DurationText.format(Policy.DEFAULT_STOP_AFTER));
    budget(yaml, policy.budget());
    yaml.entryOrNothing("description", policy.description());
    yaml.inlineItems("queues", policy.queues(), ConfigurationWriter::queue);
  }

  private static void budget(YamlText yaml, @Nullable Budget budget) {
    if (budget == null) {
      return;
    }
    yaml.inline(
        "budget",
        line -> {
          switch (budget.amount()) {
            case Budget.Amount.GpuHours(var hours) -> line.entry("gpuHours", hours.toPlainString());
            case Budget.Amount.Cost(var cost, var currency) -> {
              line.entry("cost", cost.toPlainString());
              line.entry("currency", currency);
            }
          }
          line.entry("per", budget.per().keyword());
          line.unlessDefault("warnAt", budget.warnAt(), Budget.DEFAULT_WARN_AT);
          line.unlessDefault(
              "whenSpent", budget.whenSpent().keyword(), Budget.WhenSpent.WARN.keyword());
        });
  }

  private static @Nullable String duration(@Nullable Duration duration) {
    return duration == null ? null : DurationText.format(duration);
  }

  private static String stopAfter(@Nullable Duration stopAfter) {
    return stopAfter == null ? "never" : DurationText.format(stopAfter);
  }

  private static void queue(YamlText.Inline yaml, Policy.Queue queue) {
    yaml.entry("name", queue.name());
    yaml.entry("profile", queue.profile());
    yaml.unlessDefault("rank", queue.rank(), 1);
    yaml.unlessDefault(
        "overReservation",
        queue.overReservation().keyword(),
        Policy.OverReservation.ALLOW.keyword());
  }

  private static void vault(YamlText yaml, Vault vault) {
    yaml.entry("name", vault.name());
    yaml.names("groups", vault.groups());
    yaml.names("images", vault.images());
    yaml.unlessDefault("requireImage", vault.requireImage(), false);
    yaml.unlessDefault("requireDigest", vault.requireDigest(), false);
    yaml.names("commands", vault.commands());
    if (!vault.environment().isEmpty()) {
      yaml.mapping("environment", inner -> vault.environment().forEach(inner::entry));
    }
    yaml.unlessDefault("environmentHidden", vault.environmentHidden(), false);
    yaml.entryOrNothing("description", vault.description());
  }

  private static void cpus(YamlText yaml, long millis) {
    yaml.unlessDefault("cpus", CpuText.format(millis), "0");
  }

  private static void bytes(YamlText yaml, String key, long bytes) {
    yaml.unlessDefault(key, ByteText.format(bytes), "0B");
  }
}

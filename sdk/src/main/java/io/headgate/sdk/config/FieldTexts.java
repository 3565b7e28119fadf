package io.headgate.sdk.config;

import io.headgate.sdk.config.Pool.Dedication;
import io.headgate.sdk.config.Pool.Elasticity;
import io.headgate.sdk.config.Pool.Instance;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The fields of configuration objects as text, by their names in files. An absent field has the
/// text of its default, so that writing a default changes nothing.
final class FieldTexts {
  private final Map<String, FieldText> fields = new LinkedHashMap<>();

  private FieldTexts() {}

  static Map<String, FieldText> of(Object object) {
    FieldTexts texts = new FieldTexts();
    switch (object) {
      case Configuration configuration -> texts.tenant(configuration);
      case Group group -> texts.group(group);
      case Pool pool -> texts.pool(pool);
      case Profile profile -> texts.profile(profile);
      case Department department -> texts.department(department);
      case Policy policy -> texts.policy(policy);
      case Policy.Queue queue -> texts.queue(queue);
      case Vault vault -> texts.vault(vault);
      case TenantPart part -> texts.part(part);
      default -> throw new IllegalArgumentException("not part of a configuration: " + object);
    }
    return texts.fields;
  }

  private void tenant(Configuration configuration) {
    value("visibility", configuration.visibility().keyword());
    unordered("admins", configuration.admins() == null ? List.of() : configuration.admins());
    budget(configuration.budget());
  }

  private void budget(@Nullable Budget budget) {
    value("budget", budget == null ? null : amount(budget) + " per " + budget.per().keyword());
    value("budget.warnAt", budget == null ? null : budget.warnAt() + " %");
    value("budget.whenSpent", budget == null ? null : budget.whenSpent().keyword());
  }

  private static String amount(Budget budget) {
    return switch (budget.amount()) {
      case Budget.Amount.GpuHours(var hours) -> hours.toPlainString() + " GPU-hours";
      case Budget.Amount.Cost(var cost, var currency) -> cost.toPlainString() + " " + currency;
    };
  }

  private void group(Group group) {
    unordered("users", group.users());
    unordered("serviceAccounts", group.serviceAccounts());
    unordered("leads", group.leads());
  }

  private void pool(Pool pool) {
    value("type", pool.type().keyword());
    value("gpuModel", pool.gpuModel());
    value("capacity", pool.capacity());
    value("mig", pool.mig().keyword());
    ordered("order", pool.order());
    Pool.Rules rules = pool.rules();
    duration("promoteAfter", rules.promoteAfter());
    value("consolidate", rules.consolidate());
    duration("fairness.halfLife", rules.halfLife());
    value(
        "dedicatedTo",
        switch (pool.dedicatedTo()) {
          case null -> null;
          case Dedication.ToPolicy(String owner) -> "policy " + owner;
          case Dedication.ToGroup(String owner) -> "group " + owner;
        });
    BigDecimal price = pool.pricePerGpuHour();
    value("pricePerGpuHour", price == null ? null : price.stripTrailingZeros().toPlainString());
    value("currency", pool.currency());
    value("storage", pool.storage());
    quoted("description", pool.description());
    if (pool.elasticity() != null) {
      elasticity(pool.elasticity());
    }
    if (pool.instance() != null) {
      instance(pool.instance());
    }
  }

  private void elasticity(Elasticity elasticity) {
    value("provider", elasticity.provider());
    new TreeMap<>(elasticity.settings()).forEach((key, text) -> quoted("settings." + key, text));
    instance(elasticity.instance());
    value("minInstances", elasticity.minInstances());
    value("maxInstances", elasticity.maxInstances());
    value("idleTimeout", DurationText.format(elasticity.idleTimeout()));
    value("spot", elasticity.spot());
  }

  private void instance(Instance instance) {
    value("instance.gpus", instance.gpus());
    value("instance.gpuModel", instance.gpuModel());
    value("instance.gpuMemory", ByteText.format(instance.gpuMemoryBytes()));
    value("instance.cpus", CpuText.format(instance.cpuMillis()));
    value("instance.memory", ByteText.format(instance.memoryBytes()));
  }

  private void profile(Profile profile) {
    value("gpus", profile.gpus());
    value("workers", profile.workers());
    value("cpus", CpuText.format(profile.cpuMillis()));
    value("memory", ByteText.format(profile.memoryBytes()));
    value(
        "gpuMemory",
        profile.gpuMemoryBytes() == 0 ? null : ByteText.format(profile.gpuMemoryBytes()));
    value("isolation", profile.isolation() == null ? null : profile.isolation().keyword());
    unordered("gpuModels", profile.gpuModels());
    value("images", profile.images());
    ordered("pools", profile.pools());
    value("holdAfter", DurationText.format(profile.holdAfter()));
    value("preemptionDelay", DurationText.format(profile.preemptionDelay()));
    value("reclaim", profile.reclaim().keyword());
    quoted("description", profile.description());
  }

  private void department(Department department) {
    value("department", department.department());
    value("reservation", department.reservation());
    value("limit", department.limit());
    value("weight", department.weight());
    budget(department.budget());
  }

  private void policy(Policy policy) {
    value("group", policy.group());
    value("department", policy.department());
    value("reservation", policy.reservation());
    value("limit", policy.limit());
    value("weight", policy.weight());
    value("perUserLimit", policy.perUserLimit());
    unordered("exceedLimit", policy.exceedLimit());
    value("onPreempt", policy.onPreempt().keyword());
    value("minRuntime", DurationText.format(policy.minRuntime()));
    duration("preemptAfter", policy.preemptAfter());
    duration("grace.callback", policy.grace().callback());
    duration("grace.terminate", policy.grace().terminate());
    value("preemptible", policy.preemptible());
    value("preemptWithin", policy.preemptWithin().keyword());
    Duration stopAfter = policy.stopAfter();
    value("stopAfter", stopAfter == null ? "never" : DurationText.format(stopAfter));
    budget(policy.budget());
    quoted("description", policy.description());
  }

  private void part(TenantPart part) {
    value("reservation", part.reservation());
    value("limit", part.limit());
    value("weight", part.weight());
  }

  private void queue(Policy.Queue queue) {
    value("profile", queue.profile());
    value("rank", queue.rank());
    value("overReservation", queue.overReservation().keyword());
  }

  private void vault(Vault vault) {
    unordered("groups", vault.groups());
    unordered("images", vault.images());
    value("requireImage", vault.requireImage());
    value("requireDigest", vault.requireDigest());
    unordered("commands", vault.commands());
    vault
        .environment()
        .forEach((name, text) -> {
          if (vault.environmentHidden()) {
            value("environment." + name, "(shown to admins)");
          } else {
            quoted("environment." + name, text);
          }
        });
    quoted("description", vault.description());
  }

  private void value(String field, @Nullable Object value) {
    fields.put(field, value == null ? FieldText.NONE : new FieldText.Value(value.toString()));
  }

  private void duration(String field, @Nullable Duration duration) {
    value(field, duration == null ? null : DurationText.format(duration));
  }

  private void quoted(String field, @Nullable String text) {
    value(field, text == null || text.isEmpty() ? null : "\"" + text + "\"");
  }

  private void ordered(String field, List<String> names) {
    fields.put(field, new FieldText.Ordered(names));
  }

  private void unordered(String field, List<String> names) {
    fields.put(field, new FieldText.Unordered(names));
  }
}

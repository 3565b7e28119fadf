package io.headgate.pool.core.configuration;

import io.headgate.pool.core.name.StorageId;
import io.headgate.type.GpuQuantity;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A configuration as text by field, for comparison. Empty fields are left out.
final class FieldTexts {
  private static final String SETTINGS = "settings";

  private FieldTexts() {}

  /// Whether the field may hold a credential: its change may be shown, its value may not.
  static boolean isSecret(String field) {
    return field.contains(".elasticity." + SETTINGS + "[");
  }

  static Map<String, String> of(Configuration configuration) {
    Texts texts = new Texts();
    configuration.pools().forEach(pool -> put(texts.of("pools[" + pool.id() + "]"), pool));
    configuration
        .profiles()
        .forEach(profile -> put(texts.of("profiles[" + profile.id() + "]"), profile));
    return texts.fields;
  }

  private static void put(Texts texts, Pool pool) {
    texts.put("type", pool.elasticity().isPresent() ? "elastic" : "static");
    texts.put("gpu_model", pool.gpuModel().orElse(""));
    texts.put("capacity", pool.capacity().map(GpuQuantity::toString).orElse(""));
    texts.put("mig_auto", pool.migAuto() ? "true" : "");
    texts.put("profile_order", list(pool.order()));
    pool.dedicatedTo()
        .ifPresent(dedication ->
            texts.put(
                "dedicated_to",
                switch (dedication) {
                  case Dedication.ToPolicy(var policy) -> "policy " + policy;
                  case Dedication.ToGroup(var group) -> "group " + group;
                }));
    pool.price()
        .ifPresent(price -> {
          texts.put("price_per_gpu_hour", text(price.perGpuHour()));
          texts.put("currency", price.currency().orElse(""));
        });
    texts.put("storage", pool.storage().map(StorageId::value).orElse(""));
    pool.elasticity().ifPresent(elasticity -> put(texts.in("elasticity"), elasticity));
    pool.instance().ifPresent(instance -> texts.put("instance", instance.toString()));
    PoolRules rules = pool.rules();
    texts.put("promote_after", rules.promoteAfter().map(Duration::toString).orElse(""));
    texts.put("consolidate", rules.consolidate() ? "true" : "");
    texts.put("fairness.half_life", rules.halfLife().map(Duration::toString).orElse(""));
    texts.put("description", pool.description());
  }

  private static void put(Texts texts, Elasticity elasticity) {
    texts.put("provider", elasticity.provider());
    elasticity.settings().forEach((key, value) -> texts.put(SETTINGS + "[\"" + key + "\"]", value));
    texts.put("instance", elasticity.instance().toString());
    texts.put("min_instances", Integer.toString(elasticity.minInstances()));
    texts.put("max_instances", Integer.toString(elasticity.maxInstances()));
    texts.put("idle_timeout", elasticity.idleTimeout().toString());
    texts.put("spot", Boolean.toString(elasticity.spot()));
  }

  private static void put(Texts texts, Profile profile) {
    texts.put("gpus", profile.gpus().toString());
    texts.put("workers", Integer.toString(profile.workers()));
    texts.put("cpu_millis", Long.toString(profile.cpuMillis()));
    texts.put("memory_bytes", Long.toString(profile.memoryBytes()));
    texts.put("gpu_memory_bytes", Long.toString(profile.gpuMemoryBytes()));
    texts.put("isolation", word(profile.isolation()));
    texts.put("gpu_models", list(profile.gpuModels()));
    texts.put("images", Boolean.toString(profile.images()));
    texts.put("pools", list(profile.pools()));
    texts.put("hold_after", profile.holdAfter().toString());
    texts.put("preemption_delay", profile.preemptionDelay().toString());
    texts.put("reclaim", word(profile.reclaim()));
    texts.put("description", profile.description());
  }

  private static String list(List<?> ids) {
    return String.join(", ", ids.stream().map(Object::toString).toList());
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String text(BigDecimal value) {
    return value.toPlainString();
  }

  /// Collects fields under one path.
  private record Texts(Map<String, String> fields, String path) {
    Texts() {
      this(new LinkedHashMap<>(), "");
    }

    Texts of(String item) {
      return new Texts(fields, item + ".");
    }

    Texts in(String message) {
      return new Texts(fields, path + message + ".");
    }

    void put(String field, String text) {
      if (!text.isEmpty()) {
        fields.put(path + field, text);
      }
    }
  }
}

package io.headgate.sdk.config;

import io.headgate.sdk.config.Pool.Dedication;
import io.headgate.sdk.config.Pool.Elasticity;
import io.headgate.sdk.config.Pool.Instance;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads the `pools` section.
final class PoolReader {
  private static final Pattern CURRENCY = Pattern.compile("[A-Z]{3}");
  private static final Instance NO_INSTANCE = new Instance(0, null, 0, 0, 0);

  private final SectionNames sections;

  PoolReader(SectionNames sections) {
    this.sections = sections;
  }

  List<Pool> read(MappingReader root) {
    List<Pool> pools = new ArrayList<>();
    for (MappingReader fields : root.items("pools", ConfigurationKeys.POOLS.names())) {
      pools.add(pool(fields));
    }
    return pools;
  }

  private Pool pool(MappingReader fields) {
    ValueReader values = new ValueReader(fields);
    String name = values.id("name", "give the pool a name");
    sections.pools().claim(fields, name);
    Pool.Type type = values.keyword(ConfigurationKeys.POOL_TYPE);
    return new Pool(
        name,
        type,
        values.textOrNull(ConfigurationKeys.GPU_MODEL),
        values.quantityOrNull("capacity"),
        values.keyword(ConfigurationKeys.POOL_MIG),
        values.references("order", sections.profiles()),
        rules(fields, values),
        dedication(fields),
        values.decimalOrNull("pricePerGpuHour"),
        currency(fields, values),
        values.idOrNull("storage"),
        elasticity(fields, values, type),
        type == Pool.Type.STATIC ? mostOrNull(fields) : null,
        values.textOrNull(FileKey.DESCRIPTION));
  }

  private static Pool.Rules rules(MappingReader fields, ValueReader values) {
    MappingReader fairness = fields.nested("fairness", ConfigurationKeys.FAIRNESS.names());
    if (fairness != null && fairness.value("halfLife") == null) {
      fairness.missing("halfLife", "say when past use counts half: halfLife: 168h");
    }
    return new Pool.Rules(
        values.durationOrNull(ConfigurationKeys.PROMOTE_AFTER),
        values.flag(ConfigurationKeys.CONSOLIDATE),
        fairness == null
            ? null
            : new ValueReader(fairness).durationOrNull(ConfigurationKeys.HALF_LIFE));
  }

  private @Nullable Dedication dedication(MappingReader fields) {
    MappingReader dedication = fields.nested("dedicatedTo", ConfigurationKeys.DEDICATION.names());
    if (dedication == null) {
      return null;
    }
    ValueReader values = new ValueReader(dedication);
    String policy = values.referenceOrNull("policy", sections.policies());
    String group =
        sections.areGroupsOpen()
            ? values.idOrNull("group")
            : values.referenceOrNull("group", sections.groups());
    if (dedication.has("policy") == dedication.has("group")) {
      fields
          .problems()
          .add(
              Problem.of(
                      "BAD_VALUE",
                      "a pool is dedicated to one policy or one group",
                      dedication.span(),
                      dedication.path())
                  .note(dedication.has("policy") ? "names both" : "names neither")
                  .next("write dedicatedTo: {policy: NAME} or dedicatedTo: {group: NAME}"));
    }
    if (policy != null) {
      return new Dedication.ToPolicy(policy);
    }
    return group == null ? null : new Dedication.ToGroup(group);
  }

  /// The currency of a price or cost; null: there is none, or a wrong one, which is reported.
  static @Nullable String currency(MappingReader fields, ValueReader values) {
    YamlTree.Scalar currency = fields.scalar("currency");
    if (currency != null && !CURRENCY.matcher(currency.text()).matches()) {
      values.bad(currency, "currency", "is not a currency code", "write for example USD or EUR");
      return null;
    }
    return currency == null ? null : currency.text();
  }

  private static @Nullable Elasticity elasticity(
      MappingReader fields, ValueReader values, Pool.Type type) {
    if (type == Pool.Type.STATIC) {
      rejectElasticKeys(fields);
      return null;
    }
    if (fields.value("instance") == null) {
      fields.missing("instance", "say what one instance brings: instance: {gpus: 8, …}");
    }
    if (fields.value("maxInstances") == null) {
      fields.missing("maxInstances", "say how far the pool may grow: maxInstances: 4");
    }
    int least = values.integer(ConfigurationKeys.MIN_INSTANCES);
    int most = values.integer(ConfigurationKeys.MAX_INSTANCES, Math.max(1, least));
    if (least > most && fields.problems().clean(fields.path("minInstances"))) {
      YamlTree.Scalar scalar = fields.scalar("minInstances");
      if (scalar != null) {
        fields
            .problems()
            .add(
                Problem.of(
                        "MIN_ABOVE_MAX",
                        "minInstances is above maxInstances",
                        scalar.span(),
                        fields.path("minInstances"))
                    .value(scalar.text())
                    .note(least + " > maxInstances " + most)
                    .next("lower minInstances to " + most + ", or raise maxInstances"));
      }
    }
    return new Elasticity(
        provider(fields, values),
        fields.texts("settings"),
        Objects.requireNonNullElse(instanceOrNull(fields), NO_INSTANCE),
        least,
        most,
        values.duration(ConfigurationKeys.IDLE_TIMEOUT),
        values.flag(ConfigurationKeys.SPOT));
  }

  private static String provider(MappingReader fields, ValueReader values) {
    if (fields.value("provider") == null) {
      fields.missing("provider", "name the provider plug-in, for example provider: exec");
    }
    String provider = values.textOrNull(ConfigurationKeys.PROVIDER);
    return provider == null ? ValueReader.UNREADABLE : provider;
  }

  private static void rejectElasticKeys(MappingReader fields) {
    for (FileKey elastic : ConfigurationKeys.ELASTIC) {
      String key = elastic.name();
      YamlTree value = fields.value(key);
      if (value != null) {
        fields
            .problems()
            .add(
                Problem.of(
                        "KEY_NOT_ALLOWED",
                        key + " belongs to elastic pools only",
                        value.span(),
                        fields.path(key))
                    .note("this pool is static")
                    .next("remove it, or write type: elastic"));
      }
    }
  }

  /// The instance of a static pool. Without `gpus` it would bound its nodes to none.
  private static @Nullable Instance mostOrNull(MappingReader fields) {
    MappingReader instance = fields.nested("instance", ConfigurationKeys.INSTANCE.names());
    if (instance != null && instance.value("gpus") == null) {
      instance.missing(
          "gpus",
          "say the most GPUs of one machine: gpus: 8, or gpus: 0 for machines without GPUs");
    }
    return instance == null ? null : instance(instance);
  }

  private static @Nullable Instance instanceOrNull(MappingReader fields) {
    MappingReader instance = fields.nested("instance", ConfigurationKeys.INSTANCE.names());
    return instance == null ? null : instance(instance);
  }

  private static Instance instance(MappingReader instance) {
    ValueReader values = new ValueReader(instance);
    return new Instance(
        values.integer(ConfigurationKeys.INSTANCE_GPUS),
        values.textOrNull(ConfigurationKeys.INSTANCE_GPU_MODEL),
        values.bytes("gpuMemory"),
        values.cpuMillis("cpus"),
        values.bytes("memory"));
  }
}

package io.headgate.sdk.config;

import io.headgate.sdk.config.Pool.Dedication;
import io.headgate.sdk.config.Pool.Elasticity;
import io.headgate.sdk.config.Pool.Instance;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads the `pools` section.
final class PoolReader {
  private static final List<String> ELASTIC_KEYS =
      List.of(
          "provider",
          "settings",
          "instance",
          "minInstances",
          "maxInstances",
          "idleTimeout",
          "spot");
  private static final List<String> KEYS =
      List.of(
          "name",
          "type",
          "gpuModel",
          "capacity",
          "mig",
          "order",
          "dedicatedTo",
          "pricePerGpuHour",
          "currency",
          "description",
          "provider",
          "settings",
          "instance",
          "minInstances",
          "maxInstances",
          "idleTimeout",
          "spot");
  private static final List<String> INSTANCE_KEYS =
      List.of("gpus", "gpuModel", "gpuMemory", "cpus", "memory");
  private static final Pattern CURRENCY = Pattern.compile("[A-Z]{3}");
  private static final Instance NO_INSTANCE = new Instance(0, null, 0, 0, 0);
  private static final int MAX_INSTANCES = 100_000;

  private final SectionNames sections;

  PoolReader(SectionNames sections) {
    this.sections = sections;
  }

  List<Pool> read(MappingReader root) {
    List<Pool> pools = new ArrayList<>();
    for (MappingReader fields : root.items("pools", KEYS)) {
      pools.add(pool(fields));
    }
    return pools;
  }

  private Pool pool(MappingReader fields) {
    ValueReader values = new ValueReader(fields);
    String name = values.id("name", "give the pool a name");
    sections.pools().claim(fields, name);
    Pool.Type type = values.keyword("type", Pool.Type.STATIC);
    return new Pool(
        name,
        type,
        values.textOrNull("gpuModel", 64),
        values.quantityOrNull("capacity"),
        values.keyword("mig", Pool.Mig.KEEP),
        values.references("order", sections.profiles()),
        dedication(fields),
        values.decimalOrNull("pricePerGpuHour"),
        currency(fields, values),
        elasticity(fields, values, type),
        values.textOrNull("description", 1000));
  }

  private @Nullable Dedication dedication(MappingReader fields) {
    MappingReader dedication = fields.nested("dedicatedTo", List.of("policy", "group"));
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

  private static @Nullable String currency(MappingReader fields, ValueReader values) {
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
    int least = values.integer("minInstances", 0, 0, MAX_INSTANCES);
    int most = values.integer("maxInstances", Math.max(1, least), 1, MAX_INSTANCES);
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
        instance(fields),
        least,
        most,
        values.duration("idleTimeout", Elasticity.DEFAULT_IDLE_TIMEOUT),
        values.flag("spot", false));
  }

  private static String provider(MappingReader fields, ValueReader values) {
    if (fields.value("provider") == null) {
      fields.missing("provider", "name the provider plug-in, for example provider: exec");
    }
    String provider = values.textOrNull("provider", 64);
    return provider == null ? ValueReader.UNREADABLE : provider;
  }

  private static void rejectElasticKeys(MappingReader fields) {
    for (String key : ELASTIC_KEYS) {
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

  private static Instance instance(MappingReader fields) {
    MappingReader instance = fields.nested("instance", INSTANCE_KEYS);
    if (instance == null) {
      return NO_INSTANCE;
    }
    ValueReader values = new ValueReader(instance);
    return new Instance(
        values.integer("gpus", 0, 0, 64),
        values.textOrNull("gpuModel", 64),
        values.bytes("gpuMemory"),
        values.cpuMillis("cpus"),
        values.bytes("memory"));
  }
}

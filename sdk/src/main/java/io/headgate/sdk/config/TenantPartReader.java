package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Reads the `tenants` section of a platform file.
final class TenantPartReader {
  private final SectionNames sections;

  /// The place of each part of a pool, by tenant and pool.
  private final Map<String, Span> places = new HashMap<>();

  TenantPartReader(SectionNames sections) {
    this.sections = sections;
  }

  List<TenantPart> read(MappingReader root) {
    List<TenantPart> parts = new ArrayList<>();
    for (MappingReader fields : root.items("tenants", PlatformKeys.TENANTS.names())) {
      parts.add(part(fields));
    }
    return parts;
  }

  private TenantPart part(MappingReader fields) {
    ValueReader values = new ValueReader(fields);
    String name = values.id("name", "name the tenant");
    List<String> pools = values.references("pools", sections.pools());
    if (fields.value("pools") == null) {
      fields.missing("pools", "name the shared pools: pools: [h100]");
    }
    for (MappingReader.Element element : fields.elements("pools")) {
      checkOncePerPool(fields, name, element);
    }
    GpuQuantity reservation =
        Objects.requireNonNullElse(values.quantityOrNull("reservation"), GpuQuantity.ZERO);
    GpuQuantity limit = values.quantityOrNull("limit");
    if (limit != null) {
      PolicyReader.checkReservation(fields, reservation, limit);
    }
    return new TenantPart(name, pools, reservation, limit, values.integer(PlatformKeys.WEIGHT));
  }

  private void checkOncePerPool(MappingReader fields, String name, MappingReader.Element element) {
    YamlTree.Scalar pool = element.scalar();
    Span first = places.putIfAbsent(name + " " + pool.text(), pool.span());
    if (first != null && fields.problems().clean(element.field())) {
      fields
          .problems()
          .add(
              Problem.of(
                      "DUPLICATE_NAME",
                      "tenant " + name + " has two parts of pool \"" + pool.text() + "\"",
                      pool.span(),
                      element.field())
                  .value(pool.text())
                  .note("listed before in line " + first.line())
                  .next("keep one of them"));
    }
  }
}

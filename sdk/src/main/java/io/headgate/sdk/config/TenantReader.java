package io.headgate.sdk.config;

import io.headgate.sdk.config.Tenant.Share;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads the `tenants` section of a scenario's configuration.
final class TenantReader {

  private TenantReader() {}

  static List<Tenant> read(MappingReader root, SectionNames sections) {
    List<Tenant> tenants = new ArrayList<>();
    if (!sections.isScenario()) {
      return tenants;
    }
    for (MappingReader fields : root.items("tenants", ScenarioKeys.TENANTS.names())) {
      String name = new ValueReader(fields).id("name", "give the tenant a name");
      sections.tenants().claim(fields, name);
      List<Share> shares = new ArrayList<>();
      Map<String, Span> pools = new HashMap<>();
      for (MappingReader share : fields.items("shares", ScenarioKeys.SHARES.names())) {
        shares.add(share(share, sections, pools));
      }
      tenants.add(new Tenant(name, shares));
    }
    return tenants;
  }

  private static Share share(MappingReader fields, SectionNames sections, Map<String, Span> pools) {
    ValueReader values = new ValueReader(fields);
    String pool = values.reference("pool", sections.pools(), "name the pool that is shared");
    checkOncePerPool(fields, pool, pools);
    GpuQuantity reservation = values.quantityOrNull("reservation");
    if (reservation == null) {
      reservation = GpuQuantity.ZERO;
    }
    GpuQuantity limit = values.quantityOrNull("limit");
    if (limit != null) {
      PolicyReader.checkReservation(fields, reservation, limit);
    }
    return new Share(pool, reservation, limit, values.integer(ScenarioKeys.SHARE_WEIGHT));
  }

  private static void checkOncePerPool(MappingReader fields, String pool, Map<String, Span> pools) {
    YamlTree.@Nullable Scalar scalar = fields.scalar("pool");
    if (scalar == null || pool.equals(ValueReader.UNREADABLE)) {
      return;
    }
    Span first = pools.putIfAbsent(pool, scalar.span());
    if (first != null) {
      fields
          .problems()
          .add(
              Problem.of(
                      "DUPLICATE_NAME",
                      "the tenant has two shares in pool \"" + pool + "\"",
                      scalar.span(),
                      fields.path("pool"))
                  .value(pool)
                  .note("listed before in line " + first.line())
                  .next("keep one of them"));
    }
  }
}

package io.headgate.policy.core.access;

import io.headgate.kit.decision.NearestWord;
import io.headgate.kit.decision.Problems;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessSpec.TenantPartSpec;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Reads the parts that tenants have of shared pools, and checks them against the tenants and pools
/// that exist.
final class TenantPartReader {
  private static final String LIST = "tenants";

  private final SpecReader reader;
  private final Problems<Denial> problems;
  private final Map<TenantId, Set<PoolId>> seen = new HashMap<>();

  TenantPartReader(SpecReader reader, Problems<Denial> problems) {
    this.reader = reader;
    this.problems = problems;
  }

  List<TenantPart> read(List<TenantPartSpec> specs) {
    List<TenantPart> parts = new ArrayList<>();
    for (TenantPartSpec spec : specs) {
      read(path(spec.tenant()), spec).ifPresent(parts::add);
    }
    return parts;
  }

  /// Reports parts of unknown tenants, and of pools that the platform does not have.
  void relate(List<TenantPart> parts, Set<TenantId> tenants, Supply supply) {
    for (TenantPart part : parts) {
      String path = path(part.tenant().value());
      known(path + ".name", Kind.TENANT, part.tenant().value(), words(tenants));
      for (int i = 0; i < part.pools().size(); i++) {
        known(
            path + ".pools[" + i + "]",
            Kind.POOL,
            part.pools().get(i).value(),
            words(supply.pools()));
      }
    }
  }

  private Optional<TenantPart> read(String path, TenantPartSpec spec) {
    Optional<TenantId> tenant =
        reader.id(path + ".name", Kind.TENANT, spec.tenant(), TenantId::new);
    Optional<List<PoolId>> pools =
        reader.ids(path + ".pools", Kind.POOL, spec.pools(), PoolId::new);
    Optional<GpuQuantity> reservation =
        spec.reservation().isEmpty()
            ? Optional.of(GpuQuantity.ZERO)
            : reader.quantity(path + ".reservation", spec.reservation());
    Optional<GpuQuantity> limit = reader.optional(path + ".limit", spec.limit());
    Optional<Integer> weight = reader.number(path + ".weight", spec.weight(), Rights.MAX_WEIGHT);
    boolean ordered = reader.isWithinLimit(path, Kind.TENANT, spec.tenant(), reservation, limit);
    if (spec.pools().isEmpty()) {
      problems.add(
          new Denial.Contradiction(path + ".pools", "a part of no pool: name one pool or more"));
      return Optional.empty();
    }
    boolean isLimitRead = limit.isPresent() == !spec.limit().isEmpty();
    if (tenant.isEmpty()
        || pools.isEmpty()
        || reservation.isEmpty()
        || weight.isEmpty()
        || !ordered
        || !isLimitRead) {
      return Optional.empty();
    }
    Set<PoolId> before = seen.computeIfAbsent(tenant.get(), _ -> new HashSet<>());
    for (int i = 0; i < pools.get().size(); i++) {
      PoolId pool = pools.get().get(i);
      if (!before.add(pool)) {
        problems.add(new Denial.Duplicate(path + ".pools[" + i + "]", Kind.POOL, pool.value()));
      }
    }
    return Optional.of(
        new TenantPart(tenant.get(), pools.get(), reservation.get(), limit, weight.get()));
  }

  private void known(String field, Kind kind, String id, Set<String> known) {
    if (!known.contains(id)) {
      problems.add(new Denial.Unknown(field, kind, id, NearestWord.of(id, known)));
    }
  }

  private static Set<String> words(Collection<?> ids) {
    Set<String> words = new TreeSet<>();
    ids.forEach(id -> words.add(id.toString()));
    return words;
  }

  private static String path(String tenant) {
    return SpecReader.path(LIST, tenant);
  }
}

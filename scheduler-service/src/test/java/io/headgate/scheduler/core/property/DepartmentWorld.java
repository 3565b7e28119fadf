package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Puts the policies of a [RandomWorld] under departments, up to three above one another, which
/// come and go and change. It draws from a stream of its own: what happens in the world is the same
/// with and without.
final class DepartmentWorld {
  private static final int MOST = 4;
  private static final int MOST_ABOVE = 3;

  private final RandomGenerator random;
  private final boolean isOn;
  private List<Department> departments = List.of();
  private final Map<String, Optional<DepartmentId>> departmentOf = new HashMap<>();

  /// Every fourth world has departments.
  DepartmentWorld(long seed) {
    this.random = Scenarios.random(seed + 0x5EED_0000_0000L);
    this.isOn = seed % 4 == 3;
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  /// The catalog with departments, of which some may be others than before.
  Catalog divide(Catalog catalog) {
    if (!isOn) {
      return catalog;
    }
    if (departments.isEmpty() || chance(40)) {
      departments = make(catalog);
      departmentOf.clear();
    }
    List<Policy> policies = new ArrayList<>();
    for (Policy policy : catalog.policies()) {
      Optional<DepartmentId> department =
          departmentOf.computeIfAbsent(RandomWorld.family(policy.id().name()), key -> some());
      policies.add(policy.with().department(department).build());
    }
    return new Catalog(
        catalog.tenant(),
        catalog.version(),
        catalog.pools(),
        catalog.profiles(),
        policies,
        catalog.queues(),
        catalog.shares(),
        departments);
  }

  private Optional<DepartmentId> some() {
    return departments.isEmpty() || chance(15)
        ? Optional.empty()
        : Optional.of(departments.get(random.nextInt(departments.size())).id());
  }

  private List<Department> make(Catalog catalog) {
    List<Department> made = new ArrayList<>();
    int[] above = new int[MOST];
    int count = 1 + random.nextInt(MOST);
    for (int i = 0; i < count; i++) {
      int parent = i > 0 && chance(60) ? random.nextInt(i) : -1;
      boolean isNested = parent >= 0 && above[parent] < MOST_ABOVE - 1;
      above[i] = isNested ? above[parent] + 1 : 0;
      Optional<GpuQuantity> reservation = chance(65) ? Optional.of(gpus(10)) : Optional.empty();
      Optional<GpuQuantity> limit =
          chance(30)
              ? Optional.of(reservation.orElse(GpuQuantity.ZERO).plus(gpus(8)))
              : Optional.empty();
      made.add(
          new Department(
              new DepartmentId(catalog.tenant(), "d" + i),
              isNested ? Optional.of(made.get(parent).id()) : Optional.empty(),
              reservation,
              limit,
              1 + random.nextInt(3)));
    }
    return made;
  }

  private GpuQuantity gpus(int most) {
    return GpuQuantity.parse(random.nextInt(2 * most + 1) + "/2");
  }
}

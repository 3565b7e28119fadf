package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.Elasticity;
import io.headgate.scheduler.core.catalog.Instance;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/// Transformations of a generated history's inputs, for a second run.
final class Guises {
  private Guises() {}

  /// Parts of a GPU become whole ones; every device is undivided.
  static Input whole(Input input) {
    return switch (input) {
      case Input.CatalogChanged(var catalog) -> new Input.CatalogChanged(whole(catalog));
      case Input.NodeChanged(var node) -> new Input.NodeChanged(multiplied(node, 1));
      default -> input;
    };
  }

  private static Catalog whole(Catalog catalog) {
    return catalog.withProfiles(
        catalog.profiles().stream()
            .map(profile ->
                profile.gpus().isFraction()
                    ? profile
                        .with()
                        .gpus(GpuQuantity.ONE)
                        .gpuMemoryBytes(OptionalLong.empty())
                        .build()
                    : profile)
            .toList());
  }

  /// All quantities of GPUs times a factor.
  static Input scaled(Input input, int factor) {
    return switch (input) {
      case Input.CatalogChanged(var catalog) -> new Input.CatalogChanged(scaled(catalog, factor));
      case Input.NodeChanged(var node) -> new Input.NodeChanged(multiplied(node, factor));
      default -> input;
    };
  }

  private static GpuQuantity times(GpuQuantity quantity, int factor) {
    return new GpuQuantity(quantity.units() * factor);
  }

  private static Catalog scaled(Catalog catalog, int factor) {
    return new Catalog(
        catalog.tenant(),
        catalog.version(),
        catalog.pools().stream()
            .map(pool ->
                pool.with()
                    .capacity(pool.capacity().map(capacity -> times(capacity, factor)))
                    .elasticity(pool.elasticity().map(elastic -> scaled(elastic, factor)))
                    .build())
            .toList(),
        catalog.profiles().stream()
            .map(profile -> profile.with().gpus(times(profile.gpus(), factor)).build())
            .toList(),
        catalog.policies().stream()
            .map(policy ->
                policy
                    .with()
                    .reservation(times(policy.reservation(), factor))
                    .limit(times(policy.limit(), factor))
                    .perUserLimit(policy.perUserLimit().map(limit -> times(limit, factor)))
                    .build())
            .toList(),
        catalog.queues(),
        catalog.shares(),
        catalog.departments().stream()
            .map(department ->
                new Department(
                    department.id(),
                    department.parent(),
                    department.reservation().map(units -> times(units, factor)),
                    department.limit().map(units -> times(units, factor)),
                    department.weight()))
            .toList());
  }

  private static Elasticity scaled(Elasticity elastic, int factor) {
    Instance one = elastic.instance();
    return new Elasticity(
        new Instance(
            one.gpus() * factor,
            one.gpuModel(),
            one.gpuMemoryBytes(),
            one.isolation(),
            one.cpuMillis(),
            one.memoryBytes()),
        elastic.minInstances(),
        elastic.maxInstances(),
        elastic.idleTimeout());
  }

  private static Node multiplied(Node node, int factor) {
    List<Device> devices = new ArrayList<>();
    for (Device device : node.devices()) {
      for (int i = 0; i < factor; i++) {
        devices.add(
            new Device(
                devices.size(),
                device.uuid() + "-" + i,
                device.model(),
                device.memoryBytes(),
                new Geometry.Continuous(),
                device.isolation(),
                device.inService()));
      }
    }
    return new Node(
        node.id(),
        node.pool(),
        devices,
        node.cpuMillis(),
        node.memoryBytes(),
        node.status(),
        node.runsImages());
  }
}

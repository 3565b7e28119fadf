package io.headgate.pool.core.node;

import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// The sums of an inventory, which measure how much a node may report.
///
/// @param devices number of GPUs
/// @param models of the GPUs
/// @param deviceMemoryBytes of the largest GPU
/// @param simulated whether the GPUs do not exist
public record Claims(
    int devices,
    SortedSet<String> models,
    long deviceMemoryBytes,
    long cpuMillis,
    long memoryBytes,
    boolean simulated) {
  /// A claim of nothing.
  public static final Claims NONE = new Claims(0, new TreeSet<>(), 0, 0, 0, false);

  /// Memory may be reported up to one twentieth higher than before: a driver or a kernel reserves
  /// another part of it after an upgrade.
  private static final int TOLERANCE = 20;

  public Claims {
    models = new TreeSet<>(models);
  }

  public static Claims of(Inventory inventory) {
    TreeSet<String> models = new TreeSet<>();
    long largest = 0;
    for (Device device : inventory.devices()) {
      models.add(device.gpuModel());
      largest = Math.max(largest, device.memoryBytes());
    }
    return new Claims(
        inventory.devices().size(),
        models,
        largest,
        inventory.cpuMillis(),
        inventory.memoryBytes(),
        inventory.simulated());
  }

  /// The first part that exceeds the bound, in one sentence; empty: all is within it.
  ///
  /// @param whose such as `approved are`
  public Optional<String> excess(Claims bound, String whose) {
    if (devices > bound.devices()) {
      return excess("GPUs", devices, whose, bound.devices());
    }
    TreeSet<String> other = new TreeSet<>(models);
    other.removeAll(bound.models());
    if (!other.isEmpty() && !bound.models().isEmpty()) {
      return Optional.of(
          "it reports GPUs of model %s; %s %s"
              .formatted(other.first(), whose, String.join(", ", bound.models())));
    }
    if (deviceMemoryBytes > tolerated(bound.deviceMemoryBytes())) {
      return excess(
          "MiB of GPU memory", deviceMemoryBytes >> 20, whose, bound.deviceMemoryBytes() >> 20);
    }
    if (cpuMillis > bound.cpuMillis()) {
      return excess("CPUs", cpuMillis / 1000, whose, bound.cpuMillis() / 1000);
    }
    if (memoryBytes > tolerated(bound.memoryBytes())) {
      return excess("MiB of memory", memoryBytes >> 20, whose, bound.memoryBytes() >> 20);
    }
    return Optional.empty();
  }

  private static Optional<String> excess(String what, long claimed, String whose, long bound) {
    return Optional.of("it reports %d %s; %s %d".formatted(claimed, what, whose, bound));
  }

  private static long tolerated(long bytes) {
    return bytes > Long.MAX_VALUE - bytes / TOLERANCE ? Long.MAX_VALUE : bytes + bytes / TOLERANCE;
  }
}

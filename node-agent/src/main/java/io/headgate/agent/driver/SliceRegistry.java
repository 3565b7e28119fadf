package io.headgate.agent.driver;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The slices that a driver has made, or found, since it was opened. Thread-safe.
///
/// @param <T> the driver's knowledge of each
public final class SliceRegistry<T> {
  private record Entry<T>(SlicePlan plan, T data) {}

  private final Object lock = new Object();

  /// By name; guarded by `lock`.
  private final SortedMap<String, Entry<T>> slices = new TreeMap<>();

  /// A copy for readers, which are far more frequent than changes.
  private volatile List<SlicePlan> plans = List.of();

  public void put(SlicePlan plan, T data) {
    synchronized (lock) {
      slices.put(plan.name(), new Entry<>(plan, data));
      plans = slices.values().stream().map(Entry::plan).toList();
    }
  }

  public void remove(SlicePlan plan) {
    synchronized (lock) {
      slices.remove(plan.name());
      plans = slices.values().stream().map(Entry::plan).toList();
    }
  }

  public List<SlicePlan> plans() {
    return plans;
  }

  public List<SlicePlan> plansOn(String deviceUuid) {
    return plans().stream().filter(plan -> plan.grant().deviceUuid().equals(deviceUuid)).toList();
  }

  /// The driver's data of the slice.
  ///
  /// @throws IllegalStateException when it was not made
  public T data(SlicePlan plan) {
    synchronized (lock) {
      return Optional.ofNullable(slices.get(plan.name()))
          .orElseThrow(
              () -> new IllegalStateException("the slice " + plan.name() + " was not made"))
          .data();
    }
  }
}

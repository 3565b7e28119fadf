package io.headgate.agent.core;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/// How the devices are, as far as it was told.
final class DeviceBook {
  private final Map<String, DeviceCondition> conditions = new TreeMap<>();

  void judged(String uuid, DeviceCondition condition) {
    conditions.put(uuid, condition);
  }

  List<String> unusable() {
    return conditions.entrySet().stream()
        .filter(entry -> !entry.getValue().takesWork())
        .map(Map.Entry::getKey)
        .toList();
  }

  /// Why nothing can be placed where the slices are; empty: it can.
  Optional<String> refusal(List<SliceGrant> wanted) {
    return first(wanted, condition -> !condition.takesWork(), "device %s is unhealthy: %s");
  }

  /// Why no job with the slices can continue; empty: it can.
  Optional<String> failure(List<SliceGrant> held) {
    return first(held, DeviceCondition::endsJobs, "its GPU %s failed: %s");
  }

  private Optional<String> first(
      List<SliceGrant> slices, Predicate<DeviceCondition> which, String words) {
    for (SliceGrant slice : slices) {
      String uuid = slice.deviceUuid();
      DeviceCondition condition = conditions.getOrDefault(uuid, DeviceCondition.HEALTHY);
      if (which.test(condition)) {
        return Optional.of(words.formatted(uuid, condition.cause()));
      }
    }
    return Optional.empty();
  }
}

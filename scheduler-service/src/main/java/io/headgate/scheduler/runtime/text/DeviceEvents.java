package io.headgate.scheduler.runtime.text;

import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.catalog.DeviceTrouble;
import io.headgate.scheduler.runtime.catalog.Supply.Machine;
import io.headgate.scheduler.runtime.record.Event;
import io.headgate.scheduler.runtime.record.EventType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Describes changes in the health of a machine's devices as events.
public final class DeviceEvents {
  private DeviceEvents() {}

  /// The changes between two reports of a machine. Empty if the machine was unknown before: it is
  /// new, or a new leader hears again of changes that are recorded already.
  public static List<Event> of(@Nullable Machine before, Machine now) {
    return before == null ? List.of() : between(before, now);
  }

  private static List<Event> between(Machine before, Machine now) {
    Map<String, DeviceTrouble> old = byUuid(before);
    Map<String, DeviceTrouble> fresh = byUuid(now);
    NodeId node = now.node().id();
    List<Event> news = new ArrayList<>();
    for (DeviceTrouble trouble : fresh.values()) {
      if (!trouble.equals(old.get(trouble.uuid()))) {
        news.add(of(node, trouble));
      }
    }
    for (Device device : now.node().devices()) {
      if (old.containsKey(device.uuid()) && !fresh.containsKey(device.uuid())) {
        news.add(recovered(node, device));
      }
    }
    return news;
  }

  private static Map<String, DeviceTrouble> byUuid(Machine machine) {
    Map<String, DeviceTrouble> troubles = new TreeMap<>();
    machine.troubles().forEach(trouble -> troubles.put(trouble.uuid(), trouble));
    return troubles;
  }

  private static Event of(NodeId node, DeviceTrouble trouble) {
    String what =
        trouble.inService() ? "is degraded, but still used" : "is unhealthy, and gets no new work";
    String remedy = trouble.remedy().isEmpty() ? "" : " (" + trouble.remedy() + ")";
    return event(node, trouble.index(), trouble.uuid(), what + ": " + trouble.cause() + remedy)
        .detail(
            DecisionText.detail(
                "device",
                Integer.toString(trouble.index()),
                "uuid",
                trouble.uuid(),
                "health",
                trouble.health(),
                "cause",
                trouble.cause(),
                "remedy",
                trouble.remedy()));
  }

  private static Event recovered(NodeId node, Device device) {
    return event(node, device.index(), device.uuid(), "is healthy again")
        .detail(
            DecisionText.detail(
                "device",
                Integer.toString(device.index()),
                "uuid",
                device.uuid(),
                "health",
                "healthy"));
  }

  private static Event event(NodeId node, int index, String uuid, String what) {
    return new Event(EventType.DEVICE_CHANGED, node.tenant())
        .node(node.name())
        .message("GPU %d (%s) of %s %s".formatted(index, uuid, node.name(), what));
  }
}

package io.headgate.pool.core.node;

import io.headgate.kit.decision.Outcome;
import io.headgate.kit.decision.Problems;
import io.headgate.pool.core.Denial;
import io.headgate.pool.core.FieldChecks;
import io.headgate.pool.core.name.Kind;
import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.core.node.Node.Drain;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Decides on registrations and drains of nodes.
public final class NodeDecisions {
  private static final int MAX_DEVICES = 256;
  private static final int MAX_REASON_LENGTH = 500;

  private NodeDecisions() {}

  /// The registering node, as its token states.
  public record Registrant(TenantId tenant, NodeId node, PoolId pool) {}

  /// The node after it reported `inventory`; the unchanged object if the report brings no change.
  public static Outcome<Node, Denial> register(
      Optional<Node> known, Registrant registrant, Inventory inventory, Instant now) {
    Problems<Denial> problems = new Problems<>();
    check(problems, inventory);
    return problems.unless(() ->
        known
            .map(node -> report(node, registrant.pool(), inventory, now))
            .orElseGet(() ->
                new Node(
                    registrant.tenant(),
                    registrant.node(),
                    registrant.pool(),
                    inventory,
                    Drain.NONE,
                    now,
                    now)));
  }

  /// The node with this drain; the unchanged object if it has it already.
  public static Outcome<Node, Denial> drain(Node node, Drain drain, Instant now) {
    Problems<Denial> problems = new Problems<>();
    new FieldChecks(problems).text("reason", drain.reason(), MAX_REASON_LENGTH);
    return problems.unless(() -> node.drain().equals(drain) ? node : node.with(drain, now));
  }

  private static Node report(Node node, PoolId pool, Inventory inventory, Instant now) {
    boolean known = node.pool().equals(pool) && node.inventory().equals(inventory);
    return known ? node : node.with(pool, inventory, now);
  }

  private static void check(Problems<Denial> problems, Inventory inventory) {
    FieldChecks checks = new FieldChecks(problems);
    checks.within("node.cpu_millis", inventory.cpuMillis(), 0, Long.MAX_VALUE);
    checks.within("node.memory_bytes", inventory.memoryBytes(), 0, Long.MAX_VALUE);
    checks.optionalText("node.driver", inventory.software().driver(), 128);
    checks.optionalText("node.agent_version", inventory.software().agentVersion(), 64);
    checks.optionalText("node.hostname", inventory.software().hostname(), 253);
    List<Device> devices = inventory.devices();
    checks.within("node.devices", devices.size(), 0, MAX_DEVICES);
    Set<Integer> indices = new HashSet<>();
    Set<String> uuids = new HashSet<>();
    for (Device device : devices) {
      String path = "node.devices[" + device.index() + "]";
      checks.within(path + ".index", device.index(), 0, MAX_DEVICES - 1);
      checks.within(path + ".memory_bytes", device.memoryBytes(), 0, Long.MAX_VALUE);
      checks.optionalText(path + ".gpu_model", device.gpuModel(), 64);
      checks.optionalText(path + ".uuid", device.uuid(), 96);
      if (!indices.add(device.index())) {
        problems.add(
            new Denial.Duplicate(path + ".index", Kind.DEVICE, Integer.toString(device.index())));
      }
      if (!uuids.add(device.uuid())) {
        problems.add(new Denial.Duplicate(path + ".uuid", Kind.DEVICE, device.uuid()));
      }
    }
  }
}

package io.headgate.pool.core.node;

import io.headgate.kit.decision.NearestWord;
import io.headgate.kit.decision.Outcome;
import io.headgate.kit.decision.Problems;
import io.headgate.pool.core.Denial;
import io.headgate.pool.core.FieldChecks;
import io.headgate.pool.core.name.Kind;
import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.StorageId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.core.node.Node.Drain;
import io.headgate.pool.core.node.Node.Membership;
import io.headgate.pool.core.node.Node.Quarantine;
import io.headgate.pool.core.node.Node.Trust;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Decides on registrations, approvals, drains, moves and labels of nodes.
public final class NodeDecisions {
  private static final int MAX_DEVICES = 256;
  private static final int MAX_REASON_LENGTH = 500;
  private static final int MAX_LABELS = 64;
  private static final int MAX_STORAGES = 16;
  private static final int MAX_DIRECTORIES = 64;

  private NodeDecisions() {}

  /// The provisioned pools of a tenant.
  ///
  /// @param ids of all, by name
  /// @param elastic ids of those whose machines a provider makes
  public record PoolsInForce(SortedSet<String> ids, Set<String> elastic) {}

  /// The registering node, as its token states.
  public record Registrant(TenantId tenant, NodeId node, PoolId pool) {}

  /// The node after it reported `inventory`; the unchanged object if the report brings no change. A
  /// report that claims more than is believed puts the node into quarantine, and its inventory
  /// stays as it was.
  ///
  /// @param bounds of its pool; empty: the pool is not in force, and a first report is not believed
  public static Outcome<Node, Denial> register(
      Optional<Node> known,
      Registrant registrant,
      Inventory inventory,
      Optional<InventoryBounds.OfPool> bounds,
      Instant now) {
    Problems<Denial> problems = new Problems<>();
    check(problems, inventory);
    return problems.unless(() -> {
      Claims claims = Claims.of(inventory);
      Optional<Quarantine> quarantine =
          InventoryBounds.objection(
                  claims,
                  known.map(node -> node.trust().approved()).filter(NodeDecisions::isApproval),
                  bounds)
              .map(objection -> new Quarantine(claims, objection));
      return known
          .map(node -> report(node, registrant.pool(), inventory, quarantine, now))
          .orElseGet(() -> first(registrant, inventory, quarantine, now));
    });
  }

  /// Whether something was accepted of the node: a node in quarantine since its first report has no
  /// approval.
  private static boolean isApproval(Claims approved) {
    return !approved.equals(Claims.NONE);
  }

  private static Node first(
      Registrant registrant, Inventory inventory, Optional<Quarantine> quarantine, Instant now) {
    Inventory believed = quarantine.isEmpty() ? inventory : inventory.withoutCapacity();
    return new Node(
        registrant.tenant(),
        registrant.node(),
        Membership.joining(registrant.pool()),
        new TreeMap<>(),
        believed,
        Drain.NONE,
        new Trust(quarantine.isEmpty() ? Claims.of(inventory) : Claims.NONE, quarantine),
        Optional.empty(),
        now,
        now);
  }

  /// The node with this drain; the unchanged object if it has it already and is to have it. Each
  /// order to take work again counts: it also clears what the scheduler holds against the node.
  public static Outcome<Node, Denial> drain(Node node, Drain drain, Instant now) {
    Problems<Denial> problems = new Problems<>();
    new FieldChecks(problems).text("reason", drain.reason(), MAX_REASON_LENGTH);
    boolean changes = !drain.draining() || !node.drain().equals(drain);
    return problems.unless(() -> changes ? node.with(drain, now) : node);
  }

  /// The node with its claims approved; its next report counts. The unchanged object if it is not
  /// in quarantine.
  ///
  /// @param isMeant whether the admin means these claims
  public static Outcome<Node, Denial> approve(Node node, Predicate<Claims> isMeant, Instant now) {
    Optional<Quarantine> quarantine = node.trust().quarantine();
    if (quarantine.isEmpty()) {
      return Outcome.accepted(node);
    }
    Claims claims = quarantine.get().claims();
    if (!isMeant.test(claims)) {
      return Outcome.denied(new Denial.ClaimsChanged(node.id().value(), quarantine.get().reason()));
    }
    return Outcome.accepted(node.with(new Trust(claims, Optional.empty()), now));
  }

  /// The node in `pool`; the unchanged object if it is there already. A provider makes and ends the
  /// machines of elastic pools, so that no other machine goes in, and none of them out.
  public static Outcome<Node, Denial> move(
      Node node, String pool, PoolsInForce inForce, Instant now) {
    if (!inForce.ids().contains(pool)) {
      return Outcome.denied(
          new Denial.Unknown("pool", Kind.POOL, pool, NearestWord.of(pool, inForce.ids())));
    }
    if (node.pool().value().equals(pool)) {
      return Outcome.accepted(node);
    }
    return Stream.of(pool, node.pool().value())
        .filter(inForce.elastic()::contains)
        .findFirst()
        .<Outcome<Node, Denial>>map(id -> Outcome.denied(new Denial.ElasticPool(id)))
        .orElseGet(
            () -> Outcome.accepted(node.with(node.membership().movedTo(new PoolId(pool)), now)));
  }

  /// The node with labels `set` and `removed`; the unchanged object if it has them so.
  public static Outcome<Node, Denial> label(
      Node node, Map<String, String> set, List<String> removed, Instant now) {
    Problems<Denial> problems = new Problems<>();
    for (Map.Entry<String, String> label : set.entrySet()) {
      String path = "labels[" + label.getKey() + "]";
      if (!LabelRule.isKey(label.getKey())) {
        problems.add(new Denial.MalformedLabel(path, label.getKey(), LabelRule.KEY_WORDS));
      } else if (!LabelRule.isValue(label.getValue())) {
        problems.add(new Denial.MalformedLabel(path, label.getValue(), LabelRule.VALUE_WORDS));
      }
      if (removed.contains(label.getKey())) {
        problems.add(new Denial.Contradiction(path, "it is set and removed: say one of the two"));
      }
    }
    TreeMap<String, String> labels = new TreeMap<>(node.labels());
    labels.putAll(set);
    removed.forEach(labels::remove);
    if (labels.size() > MAX_LABELS) {
      problems.add(new Denial.TooMany("labels", Kind.LABEL, MAX_LABELS));
    }
    return problems.unless(() -> labels.equals(node.labels()) ? node : node.with(labels, now));
  }

  private static Node report(
      Node node, PoolId pool, Inventory inventory, Optional<Quarantine> quarantine, Instant now) {
    Inventory believed = quarantine.isEmpty() ? inventory : node.inventory();
    Claims approved = node.trust().approved();
    if (quarantine.isEmpty() && !isApproval(approved)) {
      approved = Claims.of(inventory);
    }
    Trust trust = new Trust(approved, quarantine);
    Membership membership = node.membership().registering(pool);
    boolean known =
        node.membership().equals(membership)
            && node.inventory().equals(believed)
            && node.trust().equals(trust);
    return known ? node : node.with(membership, believed, trust, now);
  }

  private static void check(Problems<Denial> problems, Inventory inventory) {
    FieldChecks checks = new FieldChecks(problems);
    checks.within("node.cpu_millis", inventory.cpuMillis(), 0, Long.MAX_VALUE);
    checks.within("node.memory_bytes", inventory.memoryBytes(), 0, Long.MAX_VALUE);
    checks.optionalText("node.driver", inventory.software().driver(), 128);
    checks.optionalText("node.agent_version", inventory.software().agentVersion(), 64);
    checks.optionalText("node.hostname", inventory.software().hostname(), 253);
    checks.within("node.storages", inventory.storages().size(), 0, MAX_STORAGES);
    var _ = checks.ids("node.storages", Kind.STORAGE, inventory.storages(), StorageId::new);
    check(checks, inventory.jobFiles());
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

  private static void check(FieldChecks checks, JobFiles files) {
    if (!files.isKnown()) {
      return;
    }
    checks.optionalText("node.job_files.view", files.view(), 64);
    checks.within("node.job_files.hidden", files.hidden().size(), 0, MAX_DIRECTORIES);
    checks.within("node.job_files.shared", files.shared().size(), 0, MAX_DIRECTORIES);
  }
}

package io.headgate.pool.runtime;

import static io.headgate.kit.decision.DeniedException.require;

import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.decision.FieldChange;
import io.headgate.kit.decision.Outcome;
import io.headgate.kit.time.TimeSource;
import io.headgate.pool.core.Denial;
import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.name.Kind;
import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.core.node.Claims;
import io.headgate.pool.core.node.DeviceCondition;
import io.headgate.pool.core.node.Inventory;
import io.headgate.pool.core.node.InventoryBounds;
import io.headgate.pool.core.node.Node;
import io.headgate.pool.core.node.Node.Drain;
import io.headgate.pool.core.node.NodeDecisions;
import io.headgate.pool.core.node.NodeDecisions.PoolsInForce;
import io.headgate.pool.core.node.NodeDecisions.Registrant;
import io.headgate.pool.runtime.AuditEntry.Action;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The nodes of tenants. Thread-safe.
public final class Nodes {
  private final Changes changes;
  private final TimeSource time;

  public Nodes(Changes changes, TimeSource time) {
    this.changes = changes;
    this.time = time;
  }

  /// Stores a node's report; a report without news changes nothing.
  public Node register(Caller caller, Registrant registrant, Inventory inventory) {
    Optional<InventoryBounds.OfPool> bounds =
        changes.read(view ->
            view.bounds(
                registrant.tenant(),
                view.node(registrant.tenant(), registrant.node())
                    .map(node -> node.poolAfter(registrant.pool()))
                    .orElse(registrant.pool())));
    return changes.commit(
        caller,
        transaction -> {
          Optional<Node> known = transaction.lockNode(registrant.tenant(), registrant.node());
          Node node = require(NodeDecisions.register(known, registrant, inventory, bounds, now()));
          if (!known.equals(Optional.of(node))) {
            put(transaction, Action.REGISTER_NODE, known, node);
          }
          return node;
        });
  }

  /// Whether the nodes of a provisioned pool turn MIG on; false for an absent pool.
  public boolean migAuto(TenantId tenant, PoolId pool) {
    return changes.read(view -> view.migAuto(tenant, pool));
  }

  public Node get(TenantId tenant, NodeId id) {
    return changes.read(view -> view.node(tenant, id)).orElseThrow(() -> notFound(id));
  }

  /// Nodes with ids after `after`, by id.
  public List<Node> list(TenantId tenant, Optional<NodeId> after, int limit) {
    return changes.read(view -> view.nodes(tenant, after, limit));
  }

  public Node drain(Caller caller, TenantId tenant, NodeId id, Drain drain) {
    return change(
        caller,
        tenant,
        id,
        drain.draining() ? Action.DRAIN_NODE : Action.UNDRAIN_NODE,
        known -> NodeDecisions.drain(known, drain, now()));
  }

  /// Believes what the node in quarantine claims.
  ///
  /// @param etag of the claims that the admin saw; empty: whatever it claims
  public Node approve(Caller caller, TenantId tenant, NodeId id, String etag) {
    return change(
        caller,
        tenant,
        id,
        Action.APPROVE_NODE,
        known ->
            NodeDecisions.approve(
                known, claims -> etag.isEmpty() || etag.equals(ClaimsEtag.of(claims)), now()));
  }

  /// Puts the node into another provisioned pool.
  public Node move(Caller caller, TenantId tenant, NodeId id, String pool) {
    PoolsInForce inForce =
        poolsOf(changes.read(view -> view.state(tenant)).inForce().configuration());
    return change(
        caller,
        tenant,
        id,
        Action.MOVE_NODE,
        known -> NodeDecisions.move(known, pool, inForce, now()));
  }

  /// The node as it would be in that pool; stores nothing.
  public Node checkMove(TenantId tenant, NodeId id, String pool) {
    return changes.read(view ->
        require(
            NodeDecisions.move(
                view.node(tenant, id).orElseThrow(() -> notFound(id)),
                pool,
                poolsOf(view.state(tenant).inForce().configuration()),
                now())));
  }

  private static PoolsInForce poolsOf(Configuration configuration) {
    return new PoolsInForce(
        configuration.pools().stream()
            .map(pool -> pool.id().value())
            .collect(Collectors.toCollection(TreeSet::new)),
        configuration.pools().stream()
            .filter(pool -> pool.elasticity().isPresent())
            .map(pool -> pool.id().value())
            .collect(Collectors.toSet()));
  }

  /// Sets and removes labels of the node.
  public Node label(
      Caller caller, TenantId tenant, NodeId id, Map<String, String> set, List<String> removed) {
    return change(
        caller,
        tenant,
        id,
        Action.LABEL_NODE,
        known -> NodeDecisions.label(known, set, removed, now()));
  }

  private Node change(
      Caller caller,
      TenantId tenant,
      NodeId id,
      Action action,
      Function<Node, Outcome<Node, Denial>> decide) {
    return changes.commit(
        caller,
        transaction -> {
          Node known = transaction.lockNode(tenant, id).orElseThrow(() -> notFound(id));
          Node node = require(decide.apply(known));
          if (!known.equals(node)) {
            put(transaction, action, Optional.of(known), node);
          }
          return node;
        });
  }

  public void delete(Caller caller, TenantId tenant, NodeId id) {
    changes.commit(
        caller,
        transaction -> {
          Node node = transaction.lockNode(tenant, id).orElseThrow(() -> notFound(id));
          transaction.deleteNode(tenant, id);
          transaction.changed(new CatalogChange.NodeChange(tenant, id));
          transaction.audit(
              new AuditEntry(
                  tenant,
                  Action.DELETE_NODE,
                  name(node),
                  List.of(new FieldChange("pool", node.pool().value(), ""))));
          return node;
        });
  }

  private static void put(
      SupplyTransaction transaction, Action action, Optional<Node> known, Node node) {
    transaction.putNode(node);
    transaction.changed(new CatalogChange.NodeChange(node.tenant(), node.id()));
    List<FieldChange> differences =
        List.of(
                difference("pool", known.map(was -> was.pool().value()), node.pool().value()),
                difference("devices", known.map(Nodes::devices), devices(node)),
                difference("health", known.map(Nodes::health), health(node)),
                difference("storages", known.map(Nodes::storages), storages(node)),
                difference("approved", known.map(Nodes::approved), approved(node)),
                difference("quarantine", known.map(Nodes::quarantine), quarantine(node)),
                difference("drain", known.map(Nodes::drain), drain(node)),
                difference("labels", known.map(Nodes::labels), labels(node)))
            .stream()
            .filter(difference -> !difference.before().equals(difference.after()))
            .toList();
    transaction.audit(new AuditEntry(node.tenant(), action, name(node), differences));
  }

  private static FieldChange difference(String field, Optional<String> before, String after) {
    return new FieldChange(field, before.orElse(""), after);
  }

  private static String devices(Node node) {
    return Integer.toString(node.inventory().devices().size());
  }

  /// The devices that are not healthy.
  private static String health(Node node) {
    return node.inventory().devices().stream()
        .flatMap(device ->
            device.condition().stream()
                .filter(condition -> condition.health() != DeviceCondition.Health.HEALTHY)
                .map(condition ->
                    "%d %s: %s".formatted(device.index(), condition.health(), condition.cause())))
        .collect(Collectors.joining("; "));
  }

  private static String storages(Node node) {
    return String.join(", ", node.inventory().storages());
  }

  private static String approved(Node node) {
    Claims approved = node.trust().approved();
    return "%d GPUs %s, %d CPUs, %d MiB"
        .formatted(
            approved.devices(),
            approved.models(),
            approved.cpuMillis() / 1000,
            approved.memoryBytes() >> 20);
  }

  private static String quarantine(Node node) {
    return node.trust().quarantine().map(Node.Quarantine::reason).orElse("");
  }

  private static String drain(Node node) {
    return node.drain().draining() ? "draining " + node.drain().reason() : "active";
  }

  private static String labels(Node node) {
    return node.labels().entrySet().stream()
        .map(label -> label.getKey() + "=" + label.getValue())
        .collect(Collectors.joining(" "));
  }

  private static String name(Node node) {
    return "tenants/" + node.tenant() + "/nodes/" + node.id();
  }

  private static DeniedException notFound(NodeId id) {
    return new DeniedException(new Denial.NotFound(Kind.NODE, id.value()));
  }

  private Instant now() {
    // Rounded to the database's precision, so that the answer equals later reads.
    return time.instant().truncatedTo(ChronoUnit.MICROS);
  }
}

package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.runtime.agent.AcknowledgedSequence;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.ContactClock;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.Supply.Machine;
import io.headgate.scheduler.runtime.record.NodeContact;
import io.headgate.scheduler.runtime.record.WorkerKey;
import io.headgate.type.ImageRules;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The leader's knowledge of all machines, from pool-service and from the agents' streams. Confined
/// to the loop, except the clocks.
public final class NodeRegistry {
  private final Map<NodeId, Entry> entries = new TreeMap<>();
  private final Map<NodeId, ContactClock> clocks = new ConcurrentHashMap<>();
  private final long sinceNanos;

  /// @param nowNanos the time of the take-over, from which the silence of nodes counts
  NodeRegistry(long nowNanos) {
    this.sinceNanos = nowNanos;
  }

  /// The leader's knowledge of one machine.
  public static final class Entry {
    final NodeId id;
    @Nullable Machine machine;
    @Nullable NodeContact contact;
    @Nullable AgentSession session;

    /// Its agent has sent Hello to this leader.
    boolean reported;

    /// An event has reported it as out of contact.
    boolean suspect;

    /// Its agent or machine is shutting down; contact may last a while longer.
    boolean closing;

    /// Whether it runs jobs with an image, as its agent reports; assumed before the first report.
    boolean runsImages = true;

    /// The images that it runs; an object shared by [#shared].
    ImageRules imageRules = ImageRules.NONE;

    /// UUIDs of devices that take no new work, as its agent reports.
    Set<String> unusable = Set.of();

    /// Its attempts were declared lost.
    boolean lost;

    @Nullable Node passedToCore;

    /// Workers not sent to the agent yet, because the node had no stream.
    final Set<WorkerKey> undelivered = new LinkedHashSet<>();

    final AcknowledgedSequence sequence = new AcknowledgedSequence();

    Entry(NodeId id) {
      this.id = id;
    }

    /// The node as last passed to the core; empty: the core does not know it.
    public Optional<Node> passedToCore() {
      return Optional.ofNullable(passedToCore);
    }

    Optional<Machine> machine() {
      return Optional.ofNullable(machine);
    }

    Optional<AgentSession> session() {
      return Optional.ofNullable(session);
    }

    Optional<NodeContact> contact() {
      return Optional.ofNullable(contact);
    }

    /// Whether its agent ever reported to a leader, so that a new leader may expect a report.
    boolean isExpected() {
      return machine != null && contact != null;
    }

    /// The node in the form that the core gets; empty while pool-service does not know it.
    ///
    /// @param windowOpen whether a new leader still waits for reports
    /// @param catalog names the storage of its pool
    Optional<Node> seen(boolean windowOpen, CatalogView catalog) {
      if (machine == null) {
        return Optional.empty();
      }
      return Optional.of(
          machine
              .node()
              .without(unusable)
              .withImages(runsImages)
              .withStatus(status(ownStatus(machine, catalog), windowOpen)));
    }

    /// The node's status, whether or not it is alive. A node without the storage of its pool takes
    /// no work: the checkpoints of its jobs would stay behind.
    private static NodeStatus ownStatus(Machine known, CatalogView catalog) {
      return known.lacks(catalog.storage(known.node().pool()))
          ? NodeStatus.DRAINING
          : known.node().status();
    }

    private NodeStatus status(NodeStatus own, boolean windowOpen) {
      // A node without contact gets no new jobs.
      if (!reported || suspect) {
        return windowOpen && !reported && isExpected() && own == NodeStatus.READY
            ? NodeStatus.AWAITED
            : NodeStatus.SUSPECT;
      }
      // A node that an operator drains stays drained.
      return closing ? NodeStatus.DRAINING : own;
    }
  }

  Entry entry(NodeId id) {
    return entries.computeIfAbsent(id, Entry::new);
  }

  public Optional<Entry> find(NodeId id) {
    return Optional.ofNullable(entries.get(id));
  }

  public List<Entry> entries() {
    return new ArrayList<>(entries.values());
  }

  /// Marks the machine as unknown. The workers on it are still given up by the length of its
  /// silence, so the entry stays as long as it has workers.
  void remove(NodeId id) {
    Entry entry = entries.get(id);
    if (entry != null) {
      entry.machine = null;
      entry.passedToCore = null;
    }
  }

  /// Forgets entries without a machine and without a stream.
  ///
  /// @param isNeeded the nodes whose entries stay nevertheless
  void forget(Predicate<NodeId> isNeeded) {
    entries
        .values()
        .removeIf(
            entry -> entry.machine == null && entry.session == null && !isNeeded.test(entry.id));
  }

  /// One shared object for all nodes with equal rules. Rules may be long and are compared at each
  /// submission, which identity makes cheap.
  ImageRules shared(ImageRules rules) {
    return entries.values().stream()
        .map(entry -> entry.imageRules)
        .filter(rules::equals)
        .findFirst()
        .orElse(rules);
  }

  /// The node's clock, which its stream shares. Clocks are never forgotten, for two reasons. A node
  /// that comes back under its name would get a new clock and count as silent since the take-over.
  /// And a stream holds its clock even before its Hello.
  public ContactClock clock(NodeId id) {
    return clocks.computeIfAbsent(id, _ -> new ContactClock(sinceNanos));
  }

  /// Whether the node has no path for the storage; false while pool-service does not know the node.
  boolean lacks(NodeId node, Optional<String> storage) {
    return find(node).flatMap(Entry::machine).filter(machine -> machine.lacks(storage)).isPresent();
  }

  /// Whether the node's claims await an admin. It gets no order to run, because such an order
  /// carries the secrets of vaults.
  boolean isQuarantined(NodeId node) {
    return find(node).flatMap(Entry::machine).filter(Machine::quarantined).isPresent();
  }
}

package io.headgate.scheduler.core;

import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Applies reports and removals of nodes.
final class NodeInputs {
  /// For how long a node that rejects an assignment gets no work; doubled with each in a row.
  private static final Duration FIRST_SET_ASIDE = Duration.ofSeconds(10);

  private static final int MAX_DOUBLINGS = 6;

  private final World world;
  private final Transitions transitions;

  NodeInputs(World world, Transitions transitions) {
    this.world = world;
    this.transitions = transitions;
  }

  void changed(Node node) {
    world.changes.nodeChanged();
    PoolState pool = world.pool(node.pool());
    NodeState known = world.nodes.get(node.id());
    if (known == null) {
      NodeState fresh = new NodeState(node, pool::wants);
      world.nodes.put(node.id(), fresh);
      pool.refresh(fresh);
      inventoryChanged(pool);
      return;
    }
    if (!known.isRemoved() && isSameMachine(known.node(), node, pool)) {
      known.adopt(node, pool::wants);
      pool.refresh(known);
      return;
    }
    PoolState before = world.poolOf(known);
    Set<LiveAttempt> moving = before == pool ? Set.of() : running(known);
    moving.forEach(world.ends::remove);
    if (before != pool) {
      before.drop(known);
      known.setIdleSince(null);
      inventoryChanged(before);
    }
    // One that is given back gets no work, whatever it still reports.
    if (known.isRemoved()) {
      known.restore();
    }
    known.adopt(node, pool::wants);
    moving.forEach(world.ends::add);
    pool.refresh(known);
    inventoryChanged(pool);
  }

  /// Whether only its readiness to take work changed. The set of jobs that can ever start there is
  /// then unchanged. That is so for each agent that returns to a new leader.
  private boolean isSameMachine(Node known, Node now, PoolState pool) {
    return known.withStatus(now.status()).withImages(now.runsImages()).equals(now)
        && (known.runsImages() == now.runsImages() || !wantsImages(pool));
  }

  private boolean wantsImages(PoolState pool) {
    return world.groupsOf.getOrDefault(pool, List.of()).stream()
        .flatMap(group -> group.routes().stream())
        .anyMatch(route -> route.ranking().shape().images());
  }

  private Set<LiveAttempt> running(NodeState node) {
    Set<LiveAttempt> running = new HashSet<>();
    for (NodeState.Share share : node.shares()) {
      LiveJob job = world.jobs.get(share.job());
      if (share.stake() == Stake.LIVE && job != null && job.attempt() != null) {
        running.add(job.attempt());
      }
    }
    return running;
  }

  void removed(NodeId id) {
    NodeState node = world.nodes.get(id);
    if (node == null) {
      return;
    }
    world.changes.nodeChanged();
    node.remove();
    world.aside.remove(node);
    world.refresh(node);
    inventoryChanged(world.poolOf(node));
    transitions.forgetIfUnused(node);
  }

  private void inventoryChanged(PoolState pool) {
    pool.inventoryChanged();
    world.changes.inventoryChanged();
  }

  /// The node rejected an attempt: it gets no work for a while, so that the attempt is not tried
  /// there again and again.
  void setAside(NodeState node, Instant now) {
    if (node.isRemoved()) {
      return;
    }
    int inARow = node.rejections() + 1;
    Instant until =
        now.plus(FIRST_SET_ASIDE.multipliedBy(1L << Math.min(inARow - 1, MAX_DOUBLINGS)));
    node.setAside(until, inARow);
    world.refresh(node);
    world.aside.add(node);
    world.changes.nodeChanged();
    transitions.emit(new Effect.NodeSetAside(node.id(), until));
  }

  /// Gives work again to nodes whose time is over.
  void takeBack(Instant now) {
    for (NodeState node : List.copyOf(world.aside)) {
      if (!node.asideUntil().orElseThrow().isAfter(now)) {
        node.takeBack();
        world.aside.remove(node);
        world.refresh(node);
        world.changes.nodeChanged();
      }
    }
  }
}

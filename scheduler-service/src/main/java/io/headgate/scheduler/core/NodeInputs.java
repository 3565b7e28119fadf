package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Rejection;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Rejections;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.queue.Block;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.RouteGroup;
import io.headgate.scheduler.core.queue.WaitingLine;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Applies reports and removals of nodes.
final class NodeInputs {
  /// For how long a job pauses that was rejected, and a node gets no work that rejects; doubled
  /// with each in a row.
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);

  /// So many jobs of one user are evidence against a node, as long as it concerns no other user.
  private static final int JOBS_OF_ONE_USER = 3;

  /// Waiting jobs of a lane that are looked at for another user.
  private static final int JOBS_LOOKED_AT = 1000;

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

  /// The pause after the last of `inARow` rejections.
  static Duration pause(int inARow) {
    return FIRST_PAUSE.multipliedBy(1L << Math.min(inARow - 1, MAX_DOUBLINGS));
  }

  /// The node rejected an attempt of the job. One user's jobs may be at fault themselves, so they
  /// alone set no node aside that another user's jobs wait for. Such a job finds out: the node
  /// accepts it, which refutes the evidence, or rejects it, too.
  void rejected(NodeState node, LiveJob job, Instant now) {
    if (node.isRemoved()) {
      return;
    }
    Rejections rejections = node.rejections();
    rejections.add(new Rejection(job.queue().id().tenant(), job.user(), job.id()));
    Rejection accuser = rejections.onlyAccuser();
    if (accuser == null
        || (rejections.evidence().size() >= JOBS_OF_ONE_USER && !isWantedByOthers(node, accuser))) {
      setAside(node, now);
    }
  }

  private void setAside(NodeState node, Instant now) {
    int inARow = node.rejections().timesAside() + 1;
    Instant until = now.plus(pause(inARow));
    node.rejections().setAside(until, inARow);
    world.refresh(node);
    world.aside.add(node);
    world.changes.nodeChanged();
    transitions.emit(new Effect.NodeSetAside(node.id(), until, node.rejections().evidence()));
  }

  /// Whether a job of another user waits for room in the node's pool.
  private boolean isWantedByOthers(NodeState node, Rejection accuser) {
    for (RouteGroup group : world.groupsOf.getOrDefault(world.poolOf(node), List.of())) {
      for (QueueState queue : world.queuesOfGroup.getOrDefault(group, List.of())) {
        if (queue.holders().stream().anyMatch(job -> isOfOther(job, accuser))
            || queue.lanes().stream().anyMatch(lane -> isOfOthers(lane, accuser))) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isOfOthers(Lane lane, Rejection accuser) {
    if (lane.gate() != Block.NONE) {
      return false;
    }
    WaitingLine<LiveJob> line = lane.line();
    int looked = lane.user().isPresent() ? 1 : Math.min(line.size(), JOBS_LOOKED_AT);
    for (int i = 0; i < looked; i++) {
      if (isOfOther(line.get(i), accuser)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOfOther(LiveJob job, Rejection accuser) {
    return !job.user().equals(accuser.user())
        || !job.queue().id().tenant().equals(accuser.tenant());
  }

  /// Gives work again to nodes whose time is over, or that another user's jobs need although only
  /// one user's were rejected.
  void takeBack(Instant now) {
    for (NodeState node : List.copyOf(world.aside)) {
      Rejection accuser = node.rejections().onlyAccuser();
      boolean isOver = !node.rejections().asideUntil().orElseThrow().isAfter(now);
      if (isOver || (accuser != null && isWantedByOthers(node, accuser))) {
        node.rejections().takeBack();
        returned(node);
      }
    }
  }

  /// An operator vouches for the node.
  void cleared(NodeId id) {
    NodeState node = world.nodes.get(id);
    if (node != null && !node.isRemoved()) {
      node.rejections().takeBack();
      node.rejections().refute();
      returned(node);
    }
  }

  private void returned(NodeState node) {
    if (world.aside.remove(node)) {
      world.refresh(node);
      world.changes.nodeChanged();
    }
  }
}

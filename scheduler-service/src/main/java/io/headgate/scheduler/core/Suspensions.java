package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.queue.Block;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.Turn;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The suspended attempts. Each waits for exactly the slices that it had, and resumes with them in
/// its job's turn (O1-O5). It makes no room and holds nothing for that. So it stays suspended only
/// as long as its user allows, and is the first victim of a job that needs its kept memory.
final class Suspensions {
  private final World world;

  /// The suspended attempts whose devices are idle. In a round, devices are only taken.
  private final List<LiveAttempt> ready = new ArrayList<>();

  /// Finds the suspended attempts whose devices are idle when a round begins.
  Suspensions(World world) {
    this.world = world;
    for (LiveAttempt attempt : world.suspended.values()) {
      if (isReady(attempt)) {
        ready.add(attempt);
      }
    }
  }

  /// Stops the attempts that were suspended for as long as their users allow, and those that can
  /// never resume.
  ///
  /// @param wake gets the times at which others will have been kept for long enough
  static void giveUp(World world, Transitions transitions, Instant now, WakeTime wake) {
    for (LiveAttempt attempt : List.copyOf(world.suspended.values())) {
      Instant until = attempt.keptUntil();
      if (!until.isAfter(now) || isHopeless(attempt)) {
        transitions.stop(
            attempt, new StopOrder(new StopCause.SuspensionOver(), StopOutcome.REQUEUE, now));
      } else {
        wake.by(until);
      }
    }
  }

  /// Its node goes, or its devices are others, or it would have another size or pools now.
  private static boolean isHopeless(LiveAttempt attempt) {
    NodeState node = attempt.nodes().getFirst();
    QueueState queue = attempt.job().queue();
    return node.isRemoved()
        || node.isReleased()
        || node.node().status() == NodeStatus.DRAINING
        || !node.poolId().equals(attempt.pool().id())
        || !node.stillHasDevicesOf(slices(attempt))
        || queue.resolved().isEmpty()
        || queue.account() != attempt.policy()
        || queue.need() != attempt.units()
        || queue.routes().stream().noneMatch(it -> it.pool() == attempt.pool());
  }

  private static boolean isReady(LiveAttempt attempt) {
    return attempt.isSuspended()
        && attempt.isKept()
        && attempt.nodes().getFirst().isIdle(slices(attempt));
  }

  /// Whether those that are ready are those that were found to be when the round began, or fewer.
  boolean areAllKnown() {
    Set<LiveAttempt> known = new HashSet<>(ready);
    return world.suspended.values().stream().noneMatch(it -> isReady(it) && !known.contains(it));
  }

  /// The first attempt that can resume now and whose turn is before this one.
  ///
  /// @param turn null: after all others
  @Nullable LiveAttempt next(@Nullable Turn turn) {
    LiveAttempt first = null;
    Turn firstTurn = turn;
    ready.removeIf(attempt -> !isReady(attempt));
    for (LiveAttempt attempt : ready) {
      if (canGoOn(attempt) && !isBehind(attempt.job())) {
        Turn own = Turn.of(attempt.job(), attempt.pool());
        if (firstTurn == null || own.precedes(firstTurn)) {
          first = attempt;
          firstTurn = own;
        }
      }
    }
    return first;
  }

  /// Whether a job of its queue that is ahead of it has its turn yet to come.
  private static boolean isBehind(LiveJob job) {
    Turn turn = job.queue().turn();
    return turn.isToCome() && turn.isAheadOf(job);
  }

  private boolean canGoOn(LiveAttempt attempt) {
    return attempt.pool().hasRoom(attempt.units())
        && attempt.tenant().hasRoom(attempt.units())
        && isOpen(attempt)
        && attempt.job().queue().gate(attempt.job()) == Block.NONE
        && StructuralCheck.denial(world, attempt.job().queue(), attempt.job().spec()).isEmpty();
  }

  private static boolean isOpen(LiveAttempt attempt) {
    LiveJob job = attempt.job();
    return job.queue().routes(job).stream().anyMatch(route -> route.pool() == attempt.pool());
  }

  private static List<Slice> slices(LiveAttempt attempt) {
    return attempt.assignment().workers().getFirst().slices();
  }

  /// Decides for each victim whether it is suspended rather than stopped. Its user must want that,
  /// and the preempting job must have room beside the memory and processors that the victim keeps.
  ///
  /// @param places where the preempting job starts when the victims have left
  static Map<LiveAttempt, StopOutcome> outcomes(
      List<LiveAttempt> victims, List<WorkerPlace> places) {
    Map<NodeState, long[]> spare = new HashMap<>();
    Map<LiveAttempt, StopOutcome> outcomes = new HashMap<>();
    for (LiveAttempt victim : victims) {
      outcomes.put(
          victim,
          switch (victim.policy().onPreempt()) {
            case REQUEUE -> StopOutcome.REQUEUE;
            case CANCEL -> StopOutcome.CANCEL;
          });
    }
    for (LiveAttempt victim : victims) {
      if (outcomes.get(victim) == StopOutcome.REQUEUE && victim.maySuspend()) {
        NodeState node = victim.nodes().getFirst();
        WorkerPlace own = victim.assignment().workers().getFirst();
        long[] left = spare.computeIfAbsent(node, key -> spare(key, victims, places));
        if (own.cpuMillis() <= left[0] && own.memoryBytes() <= left[1]) {
          left[0] -= own.cpuMillis();
          left[1] -= own.memoryBytes();
          outcomes.put(victim, StopOutcome.SUSPEND);
        }
      }
    }
    return outcomes;
  }

  /// Processors and main memory of the node that stay free once all victims are gone and the places
  /// are taken.
  private static long[] spare(NodeState node, List<LiveAttempt> victims, List<WorkerPlace> places) {
    long[] spare = {node.freeCpuSoon(), node.freeMemorySoon()};
    for (LiveAttempt victim : victims) {
      victim.assignment().workers().forEach(place -> add(spare, node, place, 1));
    }
    places.forEach(place -> add(spare, node, place, -1));
    return spare;
  }

  private static void add(long[] spare, NodeState node, WorkerPlace place, int sign) {
    if (place.node().equals(node.id())) {
      spare[0] += sign * place.cpuMillis();
      spare[1] += sign * place.memoryBytes();
    }
  }
}

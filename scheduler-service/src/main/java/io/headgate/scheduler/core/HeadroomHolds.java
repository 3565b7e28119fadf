package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.HoldPause;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.queue.Block;
import io.headgate.scheduler.core.queue.HeadroomGuard;
import io.headgate.scheduler.core.queue.HeadroomLimit;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.Route;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The headroom that jobs hold in the limits that have blocked them for too long (O7), during one
/// pass.
///
/// 1. When a pass begins, the holds of jobs that no longer wait end ([#begin]).
/// 2. In the rounds, guards keep later jobs of the scope from the headroom
///    ([io.headgate.scheduler.core.queue.HeadroomGuard]). So the holder finds it in its turn,
///    although others may come before it by O1. When the holder starts, its hold ends ([#leave]).
/// 3. When no turn leads to anything more, the holders are found anew ([#renew]). If a hold has
///    ended or has other terms, the rounds go on: others may start now.
///
/// A job holds in all the limits that block it, or in none. Each limit of its tenant covers one
/// pool: a job holds in those of one pool, and only where no other pool could take it. It keeps its
/// headroom while capacity is held for it: otherwise a small job of its policy could take the
/// headroom before its turn.
///
/// Request: policy t uses 16 of 16 in jobs of 1 GPU; `big` needs 8 and has waited for `holdAfter`.
/// At the end of the pass `big` holds headroom in t's limit. Jobs of 1 GPU end, and later ones wait
/// with the reason HOLD. Once t uses 8, `big` starts in its turn and its hold ends. The round is
/// repeated, and others start beside it.
final class HeadroomHolds {
  private final World world;
  private final Transitions transitions;
  private final Instant now;
  private final WakeTime wake;
  private final HeadroomProspects prospects;

  /// The queues whose jobs may start now, although they could not when their turn came.
  private final Set<QueueState> freed = new LinkedHashSet<>();

  /// The holds of blocked jobs while the holders of headroom are found.
  private List<LiveHold> heldForBlocked = List.of();

  HeadroomHolds(World world, Transitions transitions, Instant now, WakeTime wake) {
    this.world = world;
    this.transitions = transitions;
    this.now = now;
    this.wake = wake;
    this.prospects = new HeadroomProspects(world, transitions, now);
  }

  /// Ends the holds of jobs that no longer wait, and sets the guards to this time.
  void begin() {
    if (world.headroom.areNone() && world.headroom.guarded().isEmpty()) {
      return;
    }
    for (LiveJob job : world.headroom.holders()) {
      if (!mayHold(job)) {
        set(job, Optional.empty());
      }
    }
    world.headroom.guard(world, now);
  }

  private boolean mayHold(LiveJob job) {
    return world.jobs.get(job.id()) == job
        && job.state() == JobState.WAITING
        && !job.isBesideLane()
        && (job.hold() == null || job.hold().isForBlocked())
        && job.queue().resolved().isPresent();
  }

  private void set(LiveJob job, Optional<HeadroomHold> hold) {
    world.headroom.set(job, hold);
    transitions.emit(new Effect.HeadroomHoldChanged(job.id(), hold));
  }

  /// The job starts, or victims make room for it: it needs no headroom any more.
  void leave(LiveJob job) {
    if (job.headroom() != null) {
      freed.addAll(world.headroom.guarded());
      set(job, Optional.empty());
      world.headroom.guard(world, now);
    }
  }

  /// A job has started. In the scope of a level above the policies, jobs may have another order
  /// now.
  void started(QueueState queue) {
    if (HeadroomGuard.of(queue).stream().anyMatch(HeadroomGuard::isAbovePolicy)) {
      freed.addAll(world.headroom.guarded());
    }
  }

  /// Takes the queues whose jobs may start now, although they could not when their turn came.
  List<QueueState> takeFreed() {
    List<QueueState> taken = List.copyOf(freed);
    freed.clear();
    return taken;
  }

  /// Finds the holders anew, when no turn leads to anything more.
  ///
  /// @return whether the rounds must go on: others may start now that could not when their turn
  ///   came, or may not hold any more
  boolean renew() {
    List<LiveJob> blocked = blocked();
    if (blocked.isEmpty() && world.headroom.areNone()) {
      return false;
    }
    Map<LiveJob, HeadroomHold> found = find(blocked);
    boolean changed = false;
    boolean mayFree = false;
    for (LiveJob job : world.headroom.holders()) {
      HeadroomHold hold = found.get(job);
      if (hold == null || !hold.equals(job.headroom())) {
        set(job, Optional.ofNullable(hold));
        changed = true;
        mayFree = true;
      }
    }
    for (Map.Entry<LiveJob, HeadroomHold> each : found.entrySet()) {
      if (each.getKey().headroom() == null) {
        set(each.getKey(), Optional.of(each.getValue()));
        changed = true;
      }
    }
    if (changed) {
      world.headroom.guard(world, now);
      noteGates();
    }
    found.values().forEach(this::wakeAt);
    return mayFree || (changed && someHolderMustLeave());
  }

  /// Whether capacity is held for a job that must leave headroom to another one.
  private boolean someHolderMustLeave() {
    for (LiveHold hold : world.holds.values()) {
      if (hold.isForBlocked()
          && HeadroomGuard.stopping(hold.job(), hold.job().queue(), hold.pool().id()) != null) {
        return true;
      }
    }
    return false;
  }

  private void wakeAt(HeadroomHold hold) {
    if (hold.passableUntil().isAfter(now)) {
      wake.by(hold.passableUntil());
    }
  }

  /// Notes what blocks each lane, where the holders stay as they are.
  void noteGates() {
    world.queues.values().forEach(queue -> queue.lanes().forEach(Lane::noteGate));
  }

  /// The heads of lanes that a limit has blocked for long enough. Notes what blocks each lane.
  private List<LiveJob> blocked() {
    List<LiveJob> blocked = new ArrayList<>();
    for (QueueState queue : world.queues.values()) {
      for (Lane lane : queue.lanes()) {
        Block gate = lane.noteGate();
        boolean isLimited =
            gate.isLimit()
                || gate == Block.TENANT_NON_PREEMPTIBLE
                || isBlockedByTenant(lane, queue, gate);
        if (isLimited && queue.need() > 0) {
          LiveJob head = lane.line().first();
          Instant due = head.waitingSince().plus(queue.holdAfter());
          if (due.isAfter(now)) {
            wake.by(due);
          } else {
            blocked.add(head);
          }
        }
      }
    }
    return blocked;
  }

  /// Whether its tenant's limit leaves its head no room in one of the pools. Headroom that others
  /// hold there does not count, as in the other limits. Otherwise the next holder would depend on
  /// the last one.
  private static boolean isBlockedByTenant(Lane lane, QueueState queue, Block gate) {
    boolean mayBe =
        gate == Block.NONE
            || (gate == Block.HEADROOM && queue.guards().stopping(lane.line().first()) == null);
    return mayBe
        && queue.group().isShared()
        && queue.rightfulRoutes(lane.line().first()).stream()
            .anyMatch(route -> !route.hasRoomForTenant());
  }

  /// The jobs that hold from now on.
  private Map<LiveJob, HeadroomHold> find(List<LiveJob> blocked) {
    for (LiveJob job : world.headroom.holders()) {
      if (job.hold() != null) {
        blocked.add(job);
      }
    }
    heldForBlocked = world.holds.values().stream().filter(LiveHold::isForBlocked).toList();
    Map<LiveJob, HeadroomHold> found = new LinkedHashMap<>();
    Set<HeadroomLimit.Key> taken = new HashSet<>();
    for (LiveJob job : HeadroomCandidates.inOrder(blocked)) {
      List<HeadroomLimit> limits = limits(job, taken);
      Optional<HeadroomHold> hold = limits.isEmpty() ? Optional.empty() : hold(job, limits);
      if (hold.isPresent()) {
        found.put(job, hold.get());
        limits.forEach(limit -> taken.add(limit.key()));
      }
    }
    world.headroom.forgetOutlooks(blocked);
    return found;
  }

  /// The limits that block it. For a job that also holds capacity: the limits that did. None where
  /// another job holds in one of them.
  private List<HeadroomLimit> limits(LiveJob job, Set<HeadroomLimit.Key> taken) {
    HeadroomHold former = job.headroom();
    if (job.hold() != null && former != null) {
      List<HeadroomLimit> limits = HeadroomLimit.of(job, former.scopes());
      return someAreTaken(limits, taken) ? List.of() : limits;
    }
    List<HeadroomLimit> limits = blocking(HeadroomLimit.of(job));
    Optional<List<HeadroomLimit>> inOnePool =
        someAreTaken(limits, taken) ? Optional.empty() : inOnePool(job, taken);
    if (inOnePool.isEmpty()) {
      return List.of();
    }
    limits.addAll(inOnePool.get());
    return limits;
  }

  private List<HeadroomLimit> blocking(List<HeadroomLimit> limits) {
    limits.removeIf(limit -> !limit.blocks(heldForBlocked));
    return limits;
  }

  private static boolean someAreTaken(List<HeadroomLimit> limits, Set<HeadroomLimit.Key> taken) {
    return limits.stream().anyMatch(limit -> taken.contains(limit.key()));
  }

  /// The limits of its tenant that block it in the pool where they are expected to leave room
  /// first. It holds in one pool only: it starts in one. None where they block it in no pool, or
  /// another pool could take it.
  ///
  /// @return empty: they block it everywhere, and it may not hold in any of them
  private Optional<List<HeadroomLimit>> inOnePool(LiveJob job, Set<HeadroomLimit.Key> taken) {
    QueueState queue = job.queue();
    List<HeadroomLimit> first = List.of();
    HeadroomOutlook.Expected soonest = new HeadroomOutlook.Never();
    boolean blockSome = false;
    for (Route route : queue.group().isShared() ? queue.routes() : List.<Route>of()) {
      List<HeadroomLimit> own = blocking(HeadroomLimit.ofTenant(job, route));
      blockSome |= !own.isEmpty();
      if (!prospects.mayStart(job, route)) {
        continue;
      }
      if (own.isEmpty()) {
        return Optional.of(List.of());
      }
      HeadroomOutlook.Expected there =
          someAreTaken(own, taken) ? new HeadroomOutlook.Never() : expected(job, own);
      if (HeadroomOutlook.isSooner(there, soonest)) {
        first = own;
        soonest = there;
      }
    }
    return blockSome && first.isEmpty() ? Optional.empty() : Optional.of(first);
  }

  private Optional<HeadroomHold> hold(LiveJob job, List<HeadroomLimit> limits) {
    return switch (expected(job, limits)) {
      case HeadroomOutlook.Known(Instant start) -> known(job, limits, start);
      case HeadroomOutlook.Unknown() -> unknown(job, limits);
      case HeadroomOutlook.Never() -> Optional.empty();
    };
  }

  private HeadroomOutlook.Expected expected(LiveJob job, List<HeadroomLimit> limits) {
    HeadroomOutlook.Expected expected = world.headroom.expected(world, job, limits, now);
    world.headroom.changesAt(job).ifPresent(wake::by);
    return expected;
  }

  private Optional<HeadroomHold> known(LiveJob job, List<HeadroomLimit> limits, Instant expected) {
    if (!prospects.mayStart(job)) {
      return Optional.empty();
    }
    HeadroomHold former = job.headroom();
    Optional<Instant> before =
        former == null
            ? Optional.empty()
            : former.expectedStart().filter(start -> !start.isAfter(now));
    // An overdue start stays what it was.
    Instant start = expected.isAfter(now) ? expected : before.orElse(now);
    // While it holds capacity, the pause is that of its capacity holds.
    if (job.hold() == null && job.holdPause().isPresent()) {
      pause(job, Optional.empty());
    }
    return Optional.of(hold(limits, Optional.of(start), Optional.empty()));
  }

  private Optional<HeadroomHold> unknown(LiveJob job, List<HeadroomLimit> limits) {
    HeadroomHold former = job.headroom();
    Optional<Instant> until = former == null ? Optional.empty() : former.until();
    if (until.isPresent() && !until.get().isAfter(now)) {
      pause(job, Optional.of(HoldPause.after(job.holdPause(), job.queue().holdAfter(), now)));
    }
    Optional<Instant> paused =
        job.holdPause().map(HoldPause::until).filter(end -> end.isAfter(now));
    if (paused.isPresent()) {
      wake.by(paused.get());
      return Optional.empty();
    }
    Instant end = until.orElse(now.plus(job.queue().holdAfter()));
    return end.isAfter(now) && prospects.mayStart(job)
        ? Optional.of(hold(limits, Optional.empty(), Optional.of(end)))
        : Optional.empty();
  }

  private static HeadroomHold hold(
      List<HeadroomLimit> limits, Optional<Instant> start, Optional<Instant> until) {
    return new HeadroomHold(limits.stream().map(HeadroomLimit::scope).toList(), start, until);
  }

  private void pause(LiveJob job, Optional<HoldPause> pause) {
    job.setHoldPause(pause);
    transitions.emit(new Effect.HoldPauseChanged(job.id(), pause));
  }
}

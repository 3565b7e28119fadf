package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.HoldPause;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.Room;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.preemption.HoldSearch;
import io.headgate.scheduler.core.queue.Ends;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// For how long a blocked job holds (O7): until its expected start; if that is unknown, for
/// `holdAfter` at most, with pauses in between that grow.
///
/// | the hold's | has passed: it |
/// |---|---|
/// | expected start | moves to where the job is expected to start now, unless its attempts are overdue |
/// | end | expires, and a pause begins; unless an expected start is known now |
final class HoldTerms {
  private final World world;
  private final Instant now;

  HoldTerms(World world, Instant now) {
    this.world = world;
    this.now = now;
  }

  /// The ends that the job may expect of running attempts.
  Ends ends(LiveJob job) {
    return new Ends(now, job.queue().holdAfter());
  }

  /// The hold of a job in the place that was found.
  Hold hold(LiveJob job, HoldSearch.Found found) {
    Optional<Instant> until =
        found.expectedStart().isPresent()
            ? Optional.empty()
            : Optional.of(now.plus(job.queue().holdAfter()));
    return new Hold(
        job.id(),
        found.place(),
        found.waitsFor(),
        Optional.empty(),
        found.expectedStart(),
        until,
        now);
  }

  /// Whether the hold was made for a time that is over.
  boolean isExpired(LiveHold hold) {
    return hold.hold().until().filter(until -> !until.isAfter(now)).isPresent();
  }

  /// Whether another place must be looked for: the hold has expired, or the job was expected to
  /// start by now and must still wait for attempts that are not overdue.
  boolean isOver(LiveHold hold) {
    Optional<Instant> start = hold.hold().expectedStart();
    return isExpired(hold)
        || (start.isPresent()
            && !start.get().isAfter(now)
            && freeAt(hold).map(at -> at.isAfter(now)).orElse(true));
  }

  /// When its place is expected to be free; empty: unknown, or never.
  private Optional<Instant> freeAt(LiveHold hold) {
    Ends ends = ends(hold.job());
    TreeMap<Instant, List<LiveAttempt>> byEnd = new TreeMap<>();
    for (LiveAttempt attempt : attemptsOn(hold)) {
      ends.of(attempt)
          .at()
          .ifPresent(end -> byEnd.computeIfAbsent(end, key -> new ArrayList<>()).add(attempt));
    }
    Map<NodeState, Room> rooms = new LinkedHashMap<>();
    hold.distinctNodes().forEach(node -> rooms.put(node, Room.soon(node)));
    Instant at = now;
    for (Map.Entry<Instant, List<LiveAttempt>> next : byEnd.entrySet()) {
      if (fits(hold, rooms)) {
        return Optional.of(at);
      }
      at = next.getKey().isAfter(at) ? next.getKey() : at;
      for (LiveAttempt attempt : next.getValue()) {
        give(attempt, rooms);
      }
    }
    return fits(hold, rooms) ? Optional.of(at) : Optional.empty();
  }

  private static boolean fits(LiveHold hold, Map<NodeState, Room> rooms) {
    return rooms.values().stream().allMatch(hold::fitsIn);
  }

  private static void give(LiveAttempt attempt, Map<NodeState, Room> rooms) {
    for (int worker = 0; worker < attempt.workers(); worker++) {
      Room room = rooms.get(attempt.nodes().get(worker));
      if (room != null) {
        room.give(attempt.share(worker));
      }
    }
  }

  /// The attempts on its nodes that were not asked to stop.
  private Set<LiveAttempt> attemptsOn(LiveHold hold) {
    Set<LiveAttempt> attempts = new LinkedHashSet<>();
    for (NodeState node : hold.distinctNodes()) {
      for (NodeState.Share share : node.shares()) {
        LiveJob job = world.jobs.get(share.job());
        if (share.stake() == Stake.LIVE && job != null && job.attempt() != null) {
          attempts.add(job.attempt());
        }
      }
    }
    return attempts;
  }

  /// Whether it waits for an attempt that will probably never end.
  boolean isBlockedByEndless(LiveHold hold) {
    Ends ends = ends(hold.job());
    for (AttemptId id : hold.hold().waitsFor()) {
      LiveJob job = world.jobs.get(id.job());
      LiveAttempt attempt = job == null ? null : job.attempt();
      if (attempt != null
          && attempt.id().equals(id)
          && attempt.stop() == null
          && ends.of(attempt).isEndless()) {
        return true;
      }
    }
    return false;
  }

  /// Whether the job may hold only where its expected start is known.
  boolean isPausing(LiveJob job) {
    return pausesUntil(job).isPresent();
  }

  /// The end of its pause; empty: it makes none.
  Optional<Instant> pausesUntil(LiveJob job) {
    return job.holdPause().map(HoldPause::until).filter(until -> until.isAfter(now));
  }

  /// Wakes when time alone changes what is expected of the hold.
  void wake(LiveHold hold, WakeTime wake) {
    hold.hold().passableUntil().filter(time -> time.isAfter(now)).ifPresent(wake::by);
    Ends ends = ends(hold.job());
    for (LiveAttempt attempt : attemptsOn(hold)) {
      if (attempt.endsBy().isEmpty()) {
        ends.of(attempt).at().filter(time -> time.isAfter(now)).ifPresent(wake::by);
        ends.agesAt(attempt).ifPresent(wake::by);
      }
    }
  }
}

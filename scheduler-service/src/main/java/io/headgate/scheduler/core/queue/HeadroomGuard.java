package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.explain.Finding;
import io.headgate.scheduler.core.explain.Finding.Measure;
import io.headgate.scheduler.core.job.HeadroomHold;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Keeps the jobs of a limit's scope from the headroom that another job holds there (O7).
///
/// A policy uses 14 of its limit of 16, and a job of 8 holds headroom. A later job of 1 does not
/// start: 14 + 8 + 1 > 16. It does if it will have ended when the holder is expected to start. Once
/// the policy uses 7, it starts beside the holder.
///
/// @param limit in which the holder waits for room
/// @param now the time of the last decision
public record HeadroomGuard(HeadroomLimit limit, HeadroomHold hold, Instant now)
    implements Guard<LiveJob> {
  /// The first of the queue's guards that stops the job; null: none does, or some pool is left.
  public static @Nullable HeadroomGuard stopping(LiveJob job, QueueState queue) {
    return (HeadroomGuard) queue.guards().stopping(job, queue.rightfulRoutes(job));
  }

  /// The first of the queue's guards that stops the job in a pool; null: none does.
  public static @Nullable HeadroomGuard stopping(LiveJob job, QueueState queue, PoolId pool) {
    return (HeadroomGuard) queue.guards().stopping(job, pool);
  }

  /// The guards of the queue, in all its pools.
  public static List<HeadroomGuard> of(QueueState queue) {
    List<HeadroomGuard> guards = new ArrayList<>();
    queue.guards().everywhere().forEach(guard -> guards.add((HeadroomGuard) guard));
    for (Route route : queue.routes()) {
      queue.guards().in(route.pool().id()).forEach(guard -> guards.add((HeadroomGuard) guard));
    }
    return guards;
  }

  public LiveJob holder() {
    return limit.job();
  }

  /// Whether the hold is in the limit of a level above the policy.
  public boolean isAbovePolicy() {
    return limit.isAbovePolicy();
  }

  @Override
  public boolean stops(LiveJob job) {
    if (job == holder()) {
      return false;
    }
    long added = limit.addedBy(job);
    return added > 0
        && !limit.leavesRoomBeside(added)
        && !endsInTime(job)
        && !HeadroomOrder.isBefore(job, holder(), limit.tenant());
  }

  @Override
  public Finding finding(boolean own) {
    return new Finding.Headroom(
        own,
        subject(),
        switch (limit.scope().bound()) {
          case LIMIT, USER_LIMIT -> Measure.LIMIT;
          case RESERVATION -> Measure.RESERVATION;
          case NON_PREEMPTIBLE -> Measure.NON_PREEMPTIBLE;
        },
        holder().queue().need(),
        hold.expectedStart(),
        hold.until());
  }

  private String subject() {
    return limit
        .tenant()
        .map(tenant -> tenant.tenant().name() + " in " + tenant.pool().name())
        .or(() -> limit.department().map(each -> each.id().name()))
        .orElse(limit.policy().id().name());
  }

  private boolean endsInTime(LiveJob job) {
    Optional<Duration> longest = job.spec().longest();
    return longest.isPresent() && !now.plus(longest.get()).isAfter(hold.passableUntil());
  }
}

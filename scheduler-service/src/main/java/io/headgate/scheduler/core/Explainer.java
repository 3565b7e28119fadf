package io.headgate.scheduler.core;

import io.headgate.scheduler.core.explain.Check;
import io.headgate.scheduler.core.explain.Explanation;
import io.headgate.scheduler.core.explain.Explanation.Position;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.queue.Block;
import io.headgate.scheduler.core.queue.HeadroomGuard;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.Promotion;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.StartRules;
import io.headgate.scheduler.core.queue.WaitingLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Explains one job: the checks of the rules that the decision applies, and its neighbours.
final class Explainer {
  private Explainer() {}

  static Optional<Position> position(LiveJob job) {
    return job.attempt() != null || job.isGated()
        ? Optional.empty()
        : Optional.of(new Position(job.queue().ahead(job) + 1, job.queue().candidates()));
  }

  static List<JobId> waiting(QueueState queue, int limit) {
    List<LiveJob> first = new ArrayList<>();
    first.addAll(queue.holders());
    first.addAll(queue.backedOff());
    for (Lane lane : queue.lanes()) {
      addRange(first, lane.line(), 0, limit);
    }
    first.sort(LiveJob.ORDER);
    return ids(first.subList(0, Math.min(limit, first.size())));
  }

  /// @param gaveUp whether the last search for room for it ended at its bound
  static Explanation explain(World world, LiveJob job, boolean gaveUp) {
    boolean waits = job.attempt() == null;
    boolean inLane = waits && job.hold() == null && !job.isBesideLane();
    StartRules rules = StartRules.explaining(job.user());
    Block block = inLane ? job.queue().lane(job).block(Promotion.headOf(job), rules) : Block.NONE;
    return new Explanation(
        job.toJob(),
        inLane ? Reasons.of(world, job, block) : Reasons.of(world, job),
        position(job),
        job.isGated() ? List.of() : starts(job, rules),
        isSupply(block) ? VictimExplanation.preempts(world, job, gaveUp) : List.of(),
        waits && !job.isGated() ? ahead(job) : List.of(),
        inLane ? behind(job) : List.of(),
        Optional.ofNullable(job.hold()).map(LiveHold::hold),
        Optional.ofNullable(job.attempt()).map(LiveAttempt::toAttempt),
        job.attempt() == null ? List.of() : VictimExplanation.exposure(job.attempt()));
  }

  /// Begins with the headroom that it holds: the last check is the first that says no.
  private static List<Check> starts(LiveJob job, StartRules rules) {
    List<Check> checks = new ArrayList<>();
    for (HeadroomGuard guard : HeadroomGuard.of(job.queue())) {
      if (guard.holder() == job) {
        checks.add(Check.of("O7", "headroom", true, guard.finding(true)));
      }
    }
    checks.addAll(rules.checks());
    return checks;
  }

  /// Whether others' leaving would let the job start.
  private static boolean isSupply(Block block) {
    return switch (block) {
      case DEPARTMENT_LIMIT, TENANT_LIMIT, POOL_CAPACITY, HOLD, CAPACITY, FRAGMENTATION, PROVIDER ->
          true;
      case NEVER_FITS,
          CLOSED,
          LIMIT,
          USER_LIMIT,
          OVER_RESERVATION,
          NON_PREEMPTIBLE,
          TENANT_NON_PREEMPTIBLE,
          HEADROOM,
          NONE ->
          false;
    };
  }

  private static List<JobId> ahead(LiveJob job) {
    int most = Explanation.MAX_NEIGHBOURS;
    List<LiveJob> nearest = new ArrayList<>();
    List<LiveJob> besideLanes = new ArrayList<>(job.queue().holders());
    besideLanes.addAll(job.queue().backedOff());
    for (LiveJob other : besideLanes) {
      if (LiveJob.ORDER.compare(other, job) < 0) {
        nearest.add(other);
      }
    }
    for (Lane lane : job.queue().lanes()) {
      int before = lane.line().ahead(job);
      addRange(nearest, lane.line(), before - most, before);
    }
    nearest.sort(LiveJob.ORDER);
    return ids(nearest.subList(Math.max(0, nearest.size() - most), nearest.size()));
  }

  private static List<JobId> behind(LiveJob job) {
    List<LiveJob> next = new ArrayList<>();
    WaitingLine<LiveJob> line = job.queue().lane(job).line();
    int own = line.ahead(job);
    addRange(next, line, own + 1, own + 1 + Explanation.MAX_NEIGHBOURS);
    return ids(next);
  }

  private static void addRange(List<LiveJob> target, WaitingLine<LiveJob> line, int from, int to) {
    for (int i = Math.max(0, from); i < Math.min(to, line.size()); i++) {
      target.add(line.get(i));
    }
  }

  private static List<JobId> ids(List<LiveJob> jobs) {
    List<JobId> ids = new ArrayList<>();
    for (LiveJob job : jobs) {
      ids.add(job.id());
    }
    return ids;
  }
}

package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.ShareList;
import io.headgate.scheduler.core.rights.Standing;
import io.headgate.scheduler.core.rights.TenantAccount;
import io.headgate.scheduler.core.rights.UseHistory;
import java.util.Comparator;
import java.util.Optional;

/// The order of jobs of which some hold headroom (O7). A job has the best of its positions over its
/// pools, and a pool may have promoted it: limits cover all of them. Past use belongs to one pool,
/// so it does not count.
///
/// | two jobs | compared by |
/// |---|---|
/// | of one policy | O2, O3 and O5: a small job is not first because it is still entitled |
/// | of two policies | O1 to O5, each with the standing that it has once its limits leave room |
public final class HeadroomOrder {
  private static final Comparator<LiveJob> BY_POSITION =
      Comparator.<LiveJob>comparingInt(job -> isPromoted(job) ? 0 : 1)
          .thenComparingInt(job -> isPromoted(job) ? 0 : job.queue().group().bestPosition())
          .thenComparingInt(job -> isPromoted(job) ? 0 : job.queue().rank());

  /// The order of jobs of one policy.
  public static final Comparator<LiveJob> WITHIN_POLICY = BY_POSITION.thenComparing(LiveJob.ORDER);

  /// The order of jobs of different policies.
  public static final Comparator<LiveJob> BETWEEN_POLICIES =
      Comparator.comparing(HeadroomOrder::standing)
          .thenComparing(BY_POSITION)
          .thenComparing(HeadroomOrder::compareShares)
          .thenComparing(LiveJob.ORDER);

  private HeadroomOrder() {}

  /// Whether the first job comes before the second one. An entitled job comes before the jobs of
  /// all other policies.
  ///
  /// @param tenant in whose limit they meet; empty: in another one
  static boolean isBefore(LiveJob first, LiveJob second, Optional<TenantAccount> tenant) {
    if (first.queue().account() == second.queue().account()) {
      return WITHIN_POLICY.compare(first, second) < 0;
    }
    long need = first.queue().need();
    boolean isEntitled =
        standing(first) == Standing.ENTITLED
            && tenant.map(each -> Levels.isWithinReservation(each, need)).orElse(true);
    return isEntitled || BETWEEN_POLICIES.compare(first, second) < 0;
  }

  private static boolean isPromoted(LiveJob job) {
    return job.queue().promoter().isOn() && job.isPromotedSomewhere();
  }

  private static Standing standing(LiveJob job) {
    return Levels.standingWithinLimits(job.queue().account(), job.queue().need());
  }

  private static int compareShares(LiveJob one, LiveJob other) {
    return shares(one).comparedWith(shares(other));
  }

  private static ShareList shares(LiveJob job) {
    PolicyAccount account = job.queue().account();
    ShareList shares = new ShareList();
    shares.addWithDepartments(account, standing(job), job.queue().need(), UseHistory.NONE);
    return shares;
  }
}

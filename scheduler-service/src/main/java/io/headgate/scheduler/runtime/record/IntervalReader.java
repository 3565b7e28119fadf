package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.type.Viewer;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Reads the single intervals of the usage ledger, slice by slice. Blocks; thread-safe.
public interface IntervalReader {
  /// Before the names of the pools that tenants share, and before those of their nodes.
  String SHARED = TenantId.PLATFORM + "/";

  /// A period, and which intervals of it are asked for.
  ///
  /// @param tenant of the jobs; the platform's asks for the pools that it shares instead
  /// @param viewer whose teams are ids of policies
  /// @param from in whole milliseconds, as the other times
  /// @param until not after `asOf`
  /// @param asOf the time of the leader when it said which intervals last
  record Asked(
      TenantId tenant, Viewer viewer, Instant from, Instant until, Instant asOf, Filter filter) {
    /// Whether it asks for all use of the pools that tenants share.
    public boolean isOfSharedPools() {
      return tenant.equals(TenantId.PLATFORM);
    }

    /// The name of a pool or node in the answer.
    ///
    /// @param stored its name in the ledger
    public String shown(String stored) {
      return isOfSharedPools() && stored.startsWith(SHARED)
          ? stored.substring(SHARED.length())
          : stored;
    }

    /// The name of a pool or node in the ledger.
    public String stored(String shown) {
      return isOfSharedPools() ? SHARED + shown : shown;
    }
  }

  /// An empty list matches all. Names of pools and nodes are those of [SliceInterval].
  ///
  /// @param policies only jobs that the viewer sees match
  /// @param jobs that the viewer sees
  /// @param includesDown whether slices that are or were down match, unless policies or jobs are
  ///   named
  record Filter(
      List<String> pools,
      List<String> nodes,
      List<String> policies,
      List<JobId> jobs,
      boolean includesDown) {
    public static final Filter ALL = new Filter(List.of(), List.of(), List.of(), List.of(), true);

    public Filter {
      pools = List.copyOf(pools);
      nodes = List.copyOf(nodes);
      policies = List.copyOf(policies);
      jobs = List.copyOf(jobs);
    }
  }

  /// The intervals that last at [Asked#asOf].
  ///
  /// @param intervals those of attempts as far as they were looked at, and all of held slices
  /// @param down the nodes with unused slices that are down
  /// @param reached the last position that was looked at; empty: no more is left
  record Open(List<Lasting> intervals, List<DownStep> down, Optional<Position> reached) {
    public static final Open NOTHING = new Open(List.of(), List.of(), Optional.empty());

    public Open {
      intervals = List.copyOf(intervals);
      down = List.copyOf(down);
    }
  }

  /// An interval that lasts.
  ///
  /// @param interval as if it ended when the leader was asked
  /// @param job of the interval; empty: it is not known any more
  /// @param stopping since when its attempt is asked to stop
  record Lasting(UsageInterval interval, Optional<Owned> job, Optional<Instant> stopping) {}

  /// A job, and to whom it belongs.
  ///
  /// @param name id in its tenant
  /// @param submitter resource name
  /// @param policy id
  record Owned(String name, String submitter, String policy) {}

  /// The place of an interval in the list. It stays the same when the interval ends.
  ///
  /// @param job 0: the slice is down
  /// @param attempt 0: the slice is held for the job, or down
  /// @param node of a slice that is down, as the viewer sees it; of others empty
  /// @param slice number of the slice in its attempt, from 1, or on its node
  record Position(Instant since, long job, int attempt, String node, int slice)
      implements Comparable<Position> {
    private static final Comparator<Position> ORDER =
        Comparator.comparing(Position::since)
            .thenComparingLong(Position::job)
            .thenComparingInt(Position::attempt)
            .thenComparing(Position::node)
            .thenComparingInt(Position::slice);

    /// The place of a slice that an attempt has, or that is held for a job.
    public Position(Instant since, long job, int attempt, int slice) {
      this(since, job, attempt, "", slice);
    }

    /// Before all positions with that begin.
    public static Position before(Instant since) {
      return new Position(since, 0, 0, "", 0);
    }

    @Override
    public int compareTo(Position other) {
      return ORDER.compare(this, other);
    }
  }

  /// The use of one slice, or a time in which it was down.
  ///
  /// @param until absent: it lasts
  /// @param pool of a shared pool `platform/` and its id, except where the platform asks; as `node`
  /// @param units in 1/126000 GPU
  /// @param holder absent: the viewer does not see the job, or the slice is down
  record SliceInterval(
      Position position,
      Optional<Instant> until,
      String pool,
      String node,
      int device,
      String uuid,
      long units,
      Optional<Holder> holder) {
    /// Whether the slice was free, and held for the job.
    public boolean isHeld() {
      return position.attempt() == 0 && !isDown();
    }

    /// Whether the slice took no work, and was unused.
    public boolean isDown() {
      return position.job() == 0;
    }
  }

  /// The job of an interval.
  ///
  /// @param job id in its tenant; empty: it is not stored any more
  /// @param entitled units within the reservation; as the following, 0 of a held slice
  /// @param stopping since when the attempt is asked to stop, while the interval lasts
  /// @param preempted whether the attempt had to go at the end
  record Holder(
      TenantId tenant,
      String job,
      String user,
      String policy,
      String queue,
      String profile,
      long entitled,
      long overReservation,
      long aboveLimit,
      Optional<Instant> stopping,
      boolean preempted) {}

  /// A part of the list.
  ///
  /// @param next where the list goes on; empty: it is complete
  record Page(List<SliceInterval> intervals, Optional<Position> next) {
    public Page {
      intervals = List.copyOf(intervals);
    }
  }

  /// The next intervals that touch the period, by position. A page may have fewer intervals than
  /// its limit, and even none, although the list goes on: what one page looks at is bounded.
  ///
  /// @param after the position where the page before ended; empty: none
  Page page(Asked asked, Open open, Optional<Position> after, int limit);
}

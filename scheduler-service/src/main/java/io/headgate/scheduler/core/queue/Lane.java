package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.LaneId;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The jobs of a queue with the same rights, in order, but for those with a hold or a pause.
public final class Lane {
  private final QueueState queue;
  private final LaneId id;
  private final @Nullable UserId user;
  private final boolean preemptible;
  private final boolean exceedsLimit;
  private final WaitingLine<LiveJob> line = new WaitingLine<>(LiveJob.ORDER, LiveJob.STARTS);

  /// One for each `promoteAfter` of its pools (O7).
  private final List<Promotions<LiveJob>> promotions;

  private @Nullable Denial denial;
  private ReportedReason reported = ReportedReason.NOTHING;

  /// As noted last.
  private Block gate = Block.NONE;

  Lane(QueueState queue, LaneId id) {
    this.queue = queue;
    this.id = id;
    this.user = id.user().orElse(null);
    this.preemptible = id.preemptible();
    this.exceedsLimit = id.exceedsLimit();
    this.promotions = queue.promoter().ofLane(LiveJob.ORDER, LiveJob::waitingSince);
  }

  public LaneId id() {
    return id;
  }

  /// The account of its policy. It has one unless its jobs can never start.
  public PolicyAccount account() {
    return queue.account();
  }

  public Optional<UserId> user() {
    return id.user();
  }

  public boolean isPreemptible() {
    return preemptible;
  }

  /// Whether its jobs may use idle capacity above the limit (A2).
  boolean exceedsLimit() {
    return exceedsLimit;
  }

  /// The pools that are open to its head, in routing order. Where headroom of others leaves it
  /// none: those that its tenant's reservations leave it.
  public List<Route> routes() {
    return routes(head());
  }

  /// As [#routes()], as if the job were its head.
  public List<Route> routes(@Nullable LiveJob job) {
    List<Route> open = job == null ? List.of() : queue.routes(job);
    return open.isEmpty() ? queue.rightfulRoutes(preemptible) : open;
  }

  /// Whether its tenant's reservations may keep its jobs from some of the queue's pools.
  public boolean isRestricted() {
    return queue.isRestricted(preemptible);
  }

  /// The elastic pool that was asked for room for its jobs; null: none was.
  public @Nullable PoolState expects() {
    PoolState expected = queue.expects();
    if (expected != null && isRestricted()) {
      for (Route route : routes()) {
        if (route.pool() == expected) {
          return expected;
        }
      }
      return null;
    }
    return expected;
  }

  public WaitingLine<LiveJob> line() {
    return line;
  }

  void add(LiveJob job) {
    line.add(job);
    for (Promotions<LiveJob> each : promotions) {
      each.add(job);
    }
  }

  void remove(LiveJob job) {
    line.remove(job);
    for (Promotions<LiveJob> each : promotions) {
      each.remove(job);
    }
  }

  List<Promotions<LiveJob>> promotions() {
    return promotions;
  }

  /// The first job that is promoted in each pool that promotes jobs, and at last its first job.
  private List<LiveJob> heads() {
    List<LiveJob> heads = new ArrayList<>(promotions.size() + 1);
    for (Promotions<LiveJob> each : promotions) {
      LiveJob job = each.first();
      if (job != null) {
        heads.add(job);
      }
    }
    heads.add(line.first());
    return heads;
  }

  /// Why its jobs can never start as things are configured.
  public Optional<Denial> denial() {
    return Optional.ofNullable(denial);
  }

  public void setDenial(Optional<Denial> newDenial) {
    denial = newDenial.orElse(null);
    queue.laneChanged();
  }

  /// The last reported reason why its jobs wait.
  public ReportedReason reported() {
    return reported;
  }

  public void setReported(ReportedReason newReported) {
    reported = newReported;
  }

  /// The first thing that stands in the way of its head, if it had to start now.
  public Block block() {
    return block(head(), StartRules.ANSWERS_ONLY);
  }

  /// As [#block()], as if the job were its head.
  ///
  /// @param rules may keep a check of each rule
  public Block block(@Nullable LiveJob job, StartRules rules) {
    Block gate = gate(job, rules);
    return gate == Block.NONE ? withAsked(RouteGroup.supplyBlock(routes(job), rules)) : gate;
  }

  /// As [#block()], with the supply as its queue's group noted it, and the rights of [#noteGate].
  public Block blockAsNoted() {
    if (isRestricted()) {
      return block();
    }
    return gate == Block.NONE ? withAsked(queue.group().notedSupplyBlock()) : gate;
  }

  /// Records the present [#gate()].
  public Block noteGate() {
    gate = gate();
    return gate;
  }

  /// Jobs that lack capacity wait for the elastic pool that was asked for an instance.
  private Block withAsked(Block supply) {
    return supply != Block.NONE && expects() != null ? Block.PROVIDER : supply;
  }

  /// The first right that stands in the way of its head, or the headroom that another job holds.
  public Block gate() {
    return gate(head());
  }

  /// As [#gate()], as if the job were its head.
  Block gate(@Nullable LiveJob job) {
    return gate(job, StartRules.ANSWERS_ONLY);
  }

  /// As [#gate()], as if its policy's limit left room.
  public Block gateBesidesLimit() {
    return rightsBesidesLimit(StartRules.ANSWERS_ONLY);
  }

  /// As [#gate()], as if its policy's limits and those of its departments left room.
  public Block gateBesidesLimits() {
    return rightsBesidesLimits(StartRules.ANSWERS_ONLY);
  }

  private Block gate(@Nullable LiveJob job, StartRules rules) {
    Block rights = rights(rules);
    return rights == Block.NONE && !rules.leavesHeadroom(stopping(job)) ? Block.HEADROOM : rights;
  }

  private @Nullable Guard<LiveJob> stopping(@Nullable LiveJob job) {
    return job == null ? null : queue.guards().stopping(job, queue.rightfulRoutes(job));
  }

  private @Nullable LiveJob head() {
    return line.isEmpty() ? null : line.first();
  }

  private Block rights(StartRules rules) {
    if (denial != null) {
      rules.neverFits();
      return Block.NEVER_FITS;
    }
    if (!rules.isOpen(queue.id(), queue.isOpen(), queue.closing())) {
      return Block.CLOSED;
    }
    return rules.isWithinLimit(queue.account(), queue.need(), exceedsLimit)
        ? rightsBesidesLimit(rules)
        : Block.LIMIT;
  }

  /// Whether only limits stand in the way of its head that it may make its own room in. That is its
  /// policy's by P9, and a department's by P1, P7 or P9. Where the departments only keep it from
  /// being entitled (A5), it may become so by P1.
  ///
  /// Where holds of long-blocked jobs alone fill the limit, it waits for those jobs.
  ///
  /// @param job one of its heads
  boolean mayMakeRoomInLimits(LiveJob job) {
    return isLimitedOnly() && stopping(job) == null;
  }

  private boolean isLimitedOnly() {
    PolicyAccount account = queue.account();
    long need = queue.need();
    return switch (gate()) {
      case LIMIT ->
          account.preemptsWithin()
              && account.chargedBesideBlocked() + need > account.limit()
              && isOpenBesidesLimits(rightsBesidesLimit(StartRules.ANSWERS_ONLY));
      case DEPARTMENT_LIMIT ->
          Levels.isAboveSomeLimitBesideBlocked(account, need)
              && isOpenOnceEntitled(rightsBesidesLimits(StartRules.ANSWERS_ONLY));
      case OVER_RESERVATION -> isOpenOnceEntitled(Block.OVER_RESERVATION);
      default -> false;
    };
  }

  private boolean isOpenBesidesLimits(Block block) {
    return block == Block.NONE
        || (block == Block.DEPARTMENT_LIMIT
            && rightsBesidesLimits(StartRules.ANSWERS_ONLY) == Block.NONE);
  }

  private boolean isOpenOnceEntitled(Block block) {
    return block == Block.NONE
        || (block == Block.OVER_RESERVATION
            && preemptible
            && queue.need() > 0
            && queue.isEntitled());
  }

  private Block rightsBesidesLimit(StartRules rules) {
    long need = queue.need();
    PolicyAccount account = queue.account();
    if (user != null && !rules.isWithinUserLimit(account, user, need)) {
      return Block.USER_LIMIT;
    }
    return rules.areWithinDepartmentLimits(account, need)
        ? rightsBesidesLimits(rules)
        : Block.DEPARTMENT_LIMIT;
  }

  private Block rightsBesidesLimits(StartRules rules) {
    long need = queue.need();
    PolicyAccount account = queue.account();
    if (!rules.isWithinReservation(account, need, queue.overReservation())) {
      return Block.OVER_RESERVATION;
    }
    if (!queue.overReservation()
        && isRestricted()
        && !rules.tenantsLetBeEntitled(
            queue.routes(), queue.group().openRoutes(true, queue.overReservation()))) {
      return Block.OVER_RESERVATION;
    }
    if (preemptible) {
      return Block.NONE;
    }
    if (!rules.admitsNonPreemptible(account, need)) {
      return Block.NON_PREEMPTIBLE;
    }
    return isRestricted()
            && !rules.tenantsAdmitNonPreemptible(queue.routes(), queue.rightfulRoutes(preemptible))
        ? Block.TENANT_NON_PREEMPTIBLE
        : Block.NONE;
  }

  /// A possible candidate.
  ///
  /// @param gate in its way; a job may make room in a limit
  record Head(LiveJob job, Block gate) {}

  /// The heads of a queue's lanes: one of them is the queue's candidate.
  ///
  /// A lane's head is its first job (O5). Where a pool promotes jobs (O7), the first of the lane's
  /// promoted jobs is another head. It comes before jobs that are not promoted. In a policy whose
  /// jobs preempt each other it does not come before one of higher priority (P9).
  static final class Heads {
    private final QueueState queue;

    /// Where jobs are promoted, the candidates that had their turn since the first one.
    private final List<LiveJob> tried = new ArrayList<>(0);

    private HeadOptions options = new HeadOptions(true, false);

    Heads(QueueState queue) {
      this.queue = queue;
    }

    /// The options that the last candidate was chosen by.
    HeadOptions options() {
      return options;
    }

    /// The first head with one of the options.
    ///
    /// @param behind it comes after this one, which had its turn; null: it may be any
    /// @param promotes whether promotion counts
    @Nullable Head first(@Nullable LiveJob behind, HeadOptions newOptions, boolean promotes) {
      options = newOptions;
      if (!promotes) {
        return first(behind);
      }
      if (behind == null) {
        tried.clear();
      } else {
        tried.add(behind);
      }
      return first(this::isPromoted);
    }

    private @Nullable Head first(@Nullable LiveJob behind) {
      Head first = null;
      for (Lane lane : queue.lanes()) {
        LiveJob job = lane.line().first();
        if ((first == null || LiveJob.ORDER.compare(job, first.job()) < 0)
            && (behind == null || LiveJob.ORDER.compare(job, behind) > 0)) {
          Block gate = lane.gate();
          if (options.areIn(gate, () -> lane.mayMakeRoomInLimits(job))) {
            first = new Head(job, gate);
          }
        }
      }
      return first;
    }

    /// Whether the job is promoted in the pool that it takes. If it fits nowhere, any of its pools
    /// counts.
    private boolean isPromoted(LiveJob job) {
      Route taken = queue.prospect(job);
      return taken == null ? job.isPromotedSomewhere() : job.isPromoted(taken);
    }

    /// The head that comes first on the route, of those that have not had their turn.
    @Nullable Head firstOn(Route route) {
      return first(job -> job.isPromoted(route));
    }

    private @Nullable Head first(Predicate<LiveJob> isPromoted) {
      Head first = null;
      boolean isFirstPromoted = false;
      for (Lane lane : queue.lanes()) {
        for (LiveJob job : lane.heads()) {
          Block gate = lane.gate(job);
          boolean promoted = isPromoted.test(job);
          if (options.areIn(gate, () -> lane.mayMakeRoomInLimits(job))
              && !tried.contains(job)
              && (first == null || isAhead(job, promoted, first.job(), isFirstPromoted))) {
            first = new Head(job, gate);
            isFirstPromoted = promoted;
          }
        }
      }
      return first;
    }

    /// Whether one job of the queue is ahead of another one in a pool.
    boolean isAhead(LiveJob job, boolean isPromoted, LiveJob other, boolean isOtherPromoted) {
      boolean mayPassPriority =
          job.priority() == other.priority() || !queue.account().preemptsWithin();
      boolean promotionDecides = mayPassPriority && isPromoted != isOtherPromoted;
      return promotionDecides ? isPromoted : LiveJob.ORDER.compare(job, other) < 0;
    }
  }
}

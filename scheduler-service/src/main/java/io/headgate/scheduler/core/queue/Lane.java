package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.LaneId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The jobs of a queue with the same rights, in order. Jobs with a hold are not in it, nor those
/// that pause after a rejection.
public final class Lane {
  /// The last reported block and its reason; null: nothing was reported.
  public record Reported(Block block, @Nullable Reason reason) {
    static final Reported NOTHING = new Reported(Block.NONE, null);
  }

  private final QueueState queue;
  private final LaneId id;
  private final @Nullable UserId user;
  private final boolean preemptible;
  private final boolean exceedsLimit;
  private final WaitingLine<LiveJob> line = new WaitingLine<>(LiveJob.ORDER);

  /// One for each `promoteAfter` of its pools (O7).
  private final List<Promotions> promotions;

  private @Nullable Denial denial;
  private Reported reported = Reported.NOTHING;

  /// As noted last.
  private Block gate = Block.NONE;

  Lane(QueueState queue, LaneId id) {
    this.queue = queue;
    this.id = id;
    this.user = id.user().orElse(null);
    this.preemptible = id.preemptible();
    this.exceedsLimit = id.exceedsLimit();
    this.promotions = queue.promoter().ofLane();
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

  /// The pools that are open to its jobs, in routing order.
  public List<Route> routes() {
    return queue.routes(preemptible);
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
    for (Promotions each : promotions) {
      each.add(job);
    }
  }

  void remove(LiveJob job) {
    line.remove(job);
    for (Promotions each : promotions) {
      each.remove(job);
    }
  }

  List<Promotions> promotions() {
    return promotions;
  }

  /// The first job that is promoted in each pool that promotes jobs.
  List<LiveJob> firstPromoted() {
    List<LiveJob> first = new ArrayList<>(promotions.size() + 1);
    for (Promotions each : promotions) {
      LiveJob job = each.first();
      if (job != null) {
        first.add(job);
      }
    }
    return first;
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
  public Reported reported() {
    return reported;
  }

  public void setReported(Reported newReported) {
    reported = newReported;
  }

  /// The first thing that stands in the way of its head, if it had to start now; nothing: it could.
  public Block block() {
    return block(StartRules.ANSWERS_ONLY);
  }

  /// As [#block()].
  ///
  /// @param rules may keep a check of each rule
  public Block block(StartRules rules) {
    Block gate = gate(rules);
    return gate == Block.NONE ? withAsked(RouteGroup.supplyBlock(routes(), rules)) : gate;
  }

  /// As [#block()], with the supply as the group of the queue noted it last, and the rights as of
  /// [#noteGate].
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

  /// The first rule of rights that stands in the way of its head, or the headroom that another job
  /// holds.
  public Block gate() {
    return gate(StartRules.ANSWERS_ONLY);
  }

  /// As [#gate()], as if the job were its head.
  Block gate(LiveJob job) {
    Block rights = rights(StartRules.ANSWERS_ONLY);
    return rights == Block.NONE && stopping(job) != null ? Block.HEADROOM : rights;
  }

  /// As [#gate()], as if its policy's limit left room.
  public Block gateBesidesLimit() {
    return rightsBesidesLimit(StartRules.ANSWERS_ONLY);
  }

  /// As [#gate()], as if its policy's limits and those of its departments left room.
  public Block gateBesidesLimits() {
    return rightsBesidesLimits(StartRules.ANSWERS_ONLY);
  }

  private Block gate(StartRules rules) {
    Block rights = rights(rules);
    return rights == Block.NONE && !rules.leavesHeadroom(stopping(head()))
        ? Block.HEADROOM
        : rights;
  }

  private @Nullable Guard<LiveJob> stopping(@Nullable LiveJob job) {
    return job == null ? null : Guard.stopping(queue.guards(), job);
  }

  private @Nullable LiveJob head() {
    return line.isEmpty() ? null : line.first();
  }

  private Block rights(StartRules rules) {
    if (denial != null) {
      rules.neverFits();
      return Block.NEVER_FITS;
    }
    if (!rules.isOpen(queue.id(), queue.isOpen())) {
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
  boolean mayMakeRoomInLimits() {
    return isLimitedOnly() && stopping(head()) == null;
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
    return isRestricted() && !rules.tenantsAdmitNonPreemptible(queue.routes(), routes())
        ? Block.TENANT_NON_PREEMPTIBLE
        : Block.NONE;
  }

  /// As [java.util.Collections#binarySearch].
  ///
  /// @param lanes of a queue, in the order of their ids
  static int find(List<Lane> lanes, LaneId id) {
    int low = 0;
    int high = lanes.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = LaneId.ORDER.compare(lanes.get(middle).id(), id);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -low - 1;
  }
}

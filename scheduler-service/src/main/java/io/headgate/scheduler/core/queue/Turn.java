package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.Standing;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A queue's chance to start its candidate, with its place in the order of turns (O1-O5). The
/// candidate is the first of the heads of the queue's lanes that may act. The same comparator, read
/// backwards, orders victims.
///
/// The place depends on the pool. It is that of the pool where the candidate fits. A candidate that
/// fits nowhere has the best of its places, until it finds room in a pool where it [#comesLaterIn].
public final class Turn extends IndexedHeap.Member<Turn> {
  private final QueueState queue;
  private @Nullable LiveJob head;
  private Block gate = Block.NONE;

  /// The standing by its policy and departments, whatever a tenant reserves in a pool.
  private Standing belowTenant = Standing.ENTITLED;

  private final TurnPlace place;
  private final Lane.Heads heads;

  /// Whether its candidate may be promoted (O7).
  private final boolean promotes;

  /// Where the order depends on the pool, the route on which the candidate fitted; null: it fitted
  /// nowhere.
  private @Nullable Route fitted;

  /// Whether a candidate let another one of its queue go first, in a pool where that is ahead.
  private boolean someGaveWay;

  /// How often the candidate went on to a later place.
  private int moves;

  /// The version of the accounts of its policy and departments when the candidate was found.
  private long version = -1;

  private long tenantVersion;

  /// The version of its queue when the candidate was found; -1: the candidate is not the one that
  /// [#choose] finds.
  private long chosenAt = -1;

  /// The job that the fields below belong to; null: they must be found.
  private @Nullable LiveJob known;

  private int priority;
  private long sequence;

  /// From when on the candidate may hold, as far as time goes.
  private Instant due = Instant.MAX;

  /// Whether the candidate says for how long it runs at most.
  private boolean isBounded;

  Turn(QueueState queue) {
    this(queue, true);
  }

  private Turn(QueueState queue, boolean promotes) {
    this.queue = queue;
    this.place = new TurnPlace(queue);
    this.heads = new Lane.Heads(queue);
    this.promotes = promotes;
  }

  /// The turn of a job on its own, which others of its queue may be ahead of. It is not promoted:
  /// it does not wait, or victims are compared with it.
  public static Turn of(LiveJob job) {
    Turn turn = new Turn(job.queue(), false);
    turn.setCandidate(job);
    return turn;
  }

  /// As [#of(LiveJob)], with its place in a pool.
  public static Turn of(LiveJob job, PoolState pool) {
    Turn turn = of(job);
    Route route = RouteGroup.routeTo(pool, job.queue().routes());
    if (route != null) {
      turn.compareOn(route);
    }
    return turn;
  }

  public QueueState queue() {
    return queue;
  }

  /// Whether it is yet to come in this pass.
  public boolean isToCome() {
    return isQueued();
  }

  /// The job whose turn it will be; null: none of the queue may start.
  public @Nullable LiveJob head() {
    return head;
  }

  /// Where it fits now; null: nowhere, or its policy's limit is in the way.
  public @Nullable Route route() {
    if (gate != Block.NONE || head == null) {
      return null;
    }
    return queue.isRestricted(head)
        ? RouteGroup.fitting(queue.routes(head))
        : queue.group().route();
  }

  /// Takes the place on the route that the job takes. If it fits nowhere, it takes the best of its
  /// places.
  private void compareOnBest(LiveJob job) {
    fitted = queue.prospect(job);
    if (fitted != null) {
      compareOn(fitted);
      return;
    }
    List<Route> open = queue.routes(job);
    compareOn(open.isEmpty() ? queue.group().first() : open.getFirst());
    for (int i = 1; i < open.size(); i++) {
      if (compareWith(open.get(i)) < 0) {
        compareOn(open.get(i));
      }
    }
  }

  /// The candidate found room in a pool. If its place is later there, it takes its turn there,
  /// after the jobs that come before it in that pool.
  ///
  /// @return whether the turn now has that later place
  public boolean comesLaterIn(PoolState pool) {
    Route route = RouteGroup.routeTo(pool, queue.routes());
    if (route == null || !isLaterIn(pool)) {
      return false;
    }
    compareOn(route);
    moves++;
    if (isPromoting()) {
      takeFirstOn(route);
    }
    return true;
  }

  /// Whether its place is later in the pool, and it has not yet gone on once for each pool.
  public boolean isLaterIn(PoolState pool) {
    Route route = RouteGroup.routeTo(pool, queue.routes());
    return route != null && moves < queue.routes().size() && compareWith(route) > 0;
  }

  /// Whether its place is later than that of its group.
  boolean hasMoved() {
    return moves > 0;
  }

  private void compareOn(Route route) {
    place.set(route, isPromotedOn(route));
  }

  /// Compares the place that the candidate would have on the route with the one that it has.
  private int compareWith(Route route) {
    TurnPlace there = new TurnPlace(queue);
    there.set(route, isPromotedOn(route));
    return there.comparedWith(place);
  }

  private boolean isPromoting() {
    return promotes && queue.promoter().isOn();
  }

  private boolean isPromotedOn(Route route) {
    return promotes && head != null && head.isPromoted(route);
  }

  /// In another pool other jobs of the queue are promoted, so another one may come first. The
  /// candidate before has its turn after it.
  private void takeFirstOn(Route route) {
    Lane.Head first = heads.firstOn(route);
    if (first != null && first.job() != head && queue.routes(first.job()).contains(route)) {
      someGaveWay = true;
      head = first.job();
      gate = first.gate();
      fitted = queue.prospect(first.job());
      noteHead();
      compareOn(route);
    }
  }

  /// Finds the queue's candidate anew: of the heads of its lanes that rights do not stop, the first
  /// (O5). A limit does not stop a job that may make room in it by preemption.
  ///
  /// @return whether there is one: it fits, or it may try to make room or to hold some
  public boolean choose() {
    if (isChosen()) {
      moves = 0;
      place.followAgain(belowTenant);
    } else {
      choose(null, new HeadOptions(true, mayMakeRoomInLimits()));
      chosenAt = queue.version();
    }
    return head != null;
  }

  /// Whether the choice still holds because nothing has changed on which it depends.
  private boolean isChosen() {
    return chosenAt == queue.version()
        && version == queue.account().versionWithDepartments()
        && !queue.group().isOrderedByPool();
  }

  /// Whether a limit may be no obstacle to some of its jobs, because victims make room in it.
  private boolean mayMakeRoomInLimits() {
    PolicyAccount account = queue.account();
    return account.preemptsWithin()
        || account.department().isPresent()
        || (queue.group().isShared() && !queue.overReservation());
  }

  /// As [#choose], of those only that may start although they make no room in their policy's limit.
  public boolean chooseStartable() {
    return choose(null, new HeadOptions(true, false));
  }

  /// Moves to the next job in this queue that has an option the current candidate lacked.
  ///
  /// | the candidate | the next one must |
  /// |---|---|
  /// | may start, but fewer pools are open to it than to others | come after it, and be able to start or to make room in the policy's limit |
  /// | may start, but only above its policy's limit | be able to make room in the limit (P9) |
  /// | may only make room in the policy's limit | come after it, and be able to start |
  /// | took its turn in a pool where another one gave way to it (O7) | be the first of those left |
  ///
  /// @return whether there is such a job
  public boolean chooseNext() {
    if (someGaveWay) {
      return choose(head, heads.options());
    }
    if (mayStart() && head != null && queue.isRestricted(head)) {
      return choose(head, new HeadOptions(true, mayMakeRoomInLimits()));
    }
    if (mayStart()) {
      return place.standing() == Standing.ABOVE_LIMIT
          && queue.account().preemptsWithin()
          && choose(head, new HeadOptions(false, true));
    }
    return choose(head, new HeadOptions(true, false));
  }

  /// @param behind the candidate comes after this one; null: it may be any
  private boolean choose(@Nullable LiveJob behind, HeadOptions options) {
    head = null;
    someGaveWay = false;
    chosenAt = -1;
    version = queue.account().versionWithDepartments();
    Lane.Head first = heads.first(behind, options, isPromoting());
    if (first == null || queue.routes().isEmpty()) {
      return false;
    }
    head = first.job();
    gate = first.gate();
    updateStanding();
    Route route = place.route();
    if (isPromoting() && fitted == null && route != null) {
      takeFirstOn(route);
    }
    return true;
  }

  /// Takes a job that has its turn behind it as the candidate, whatever else waits.
  public void setCandidate(LiveJob job) {
    head = job;
    gate = Block.NONE;
    chosenAt = -1;
    updateStanding();
  }

  private void noteHead() {
    if (head != known && head != null) {
      known = head;
      priority = head.priority();
      sequence = head.sequence();
      due = head.waitingSince().plus(queue.holdAfter());
      isBounded = head.spec().maxRuntime().isPresent();
    }
  }

  private void updateStanding() {
    noteHead();
    PolicyAccount account = queue.account();
    RouteGroup group = queue.group();
    belowTenant = queue.standing();
    version = account.versionWithDepartments();
    tenantVersion = group.tenantVersion();
    moves = 0;
    if (group.isOrderedByPool() && head != null) {
      compareOnBest(head);
    } else {
      place.follow(belowTenant);
    }
  }

  /// Whether its place in the order is still the computed one. As its policy or its tenant takes
  /// more, it can only be later, unless it [#mayComeEarlier].
  boolean isFresh() {
    return version == queue.account().versionWithDepartments()
        && tenantVersion == queue.group().tenantVersion()
        && (head == null
            || !queue.isRestricted(head)
            || Objects.equals(fitted, queue.prospect(head)));
  }

  /// Whether its turn may come earlier, or at all, because its policy or its tenant takes more.
  /// Another lane's job may become its candidate, or a limit is reached only now, so that it may
  /// make room in it.
  public boolean mayComeEarlier() {
    return queue.lanes().size() > 1 || mayMakeRoomInLimits();
  }

  /// Whether rights let the candidate start.
  public boolean mayStart() {
    return gate == Block.NONE;
  }

  Block gate() {
    return gate;
  }

  /// The candidate's standing, with its need counted in.
  public Standing standing() {
    return place.standing();
  }

  /// Whether the candidate must fail to make room because another queue's with the same routes just
  /// failed: it would make the same request, or may make none.
  ///
  /// @param failed may start as far as rights go, and found no victims
  public boolean failsAs(Turn failed) {
    if (gate != Block.NONE || queue.account().preemptsWithin() || queue.group().isShared()) {
      return false;
    }
    if (queue.isEntitled()) {
      return failed.queue.isEntitled()
          && queue.reclaim() == failed.queue.reclaim()
          && (belowTenant == Standing.ENTITLED || !queue.preemptsUnentitled());
    }
    return belowTenant == Standing.ABOVE_LIMIT || !queue.preemptsUnentitled();
  }

  /// From when on the candidate may hold capacity that others leave (O7); null: never. Above its
  /// policy's limit it may not, what others of the policy hold counted: it only uses what idles
  /// (A2).
  public @Nullable Instant holdsFrom() {
    return head == null || gate != Block.NONE || !queue.account().hasRoom(queue.need())
        ? null
        : due;
  }

  /// Whether the candidate will have ended by a time that is known.
  public boolean isBounded() {
    return isBounded;
  }

  /// The job joined its queue, perhaps after an attempt.
  void waitsAnew(LiveJob job) {
    known = known == job ? null : known;
  }

  /// The queue has another configuration.
  void reconfigured() {
    known = null;
  }

  /// Whether the candidate is ahead of another job of its queue that is not promoted (O5, O7).
  public boolean isAheadOf(LiveJob other) {
    return head != null && heads.isAhead(head, place.isPromoted(), other, false);
  }

  /// As [#isBefore], also of two of one queue, where jobs have an order of their own (O5).
  public boolean precedes(Turn other) {
    return (head != null && other.head != null && queue == other.queue)
        ? heads.isAhead(head, place.isPromoted(), other.head, other.place.isPromoted())
        : isBefore(other);
  }

  /// Whether this one's turn is before the other's.
  @Override
  public boolean isBefore(Turn other) {
    int places = place.comparedWith(other.place);
    if (places != 0) {
      return places < 0;
    }
    return priority == other.priority ? sequence < other.sequence : priority > other.priority;
  }
}

package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.placement.GangPlacement;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Room;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Looks for movable jobs that make room for a blocked job by going on elsewhere (P11).
///
/// It gains one worker's place after the other. Each is gained on the node where the moves lose the
/// least GPU time, and where all jobs that move so far have another place that is free now. For a
/// job of one worker the result is the cheapest, up to the bounds. For a gang a cheaper one may
/// exist, and where it finds none there may be one.
///
/// Example: two nodes of four GPUs each run four jobs of half a GPU, one on each device. A job
/// needs four GPUs on one node. The four jobs of one node move onto the free halves of the other.
public final class ConsolidationSearch {
  /// A job that moves.
  ///
  /// @param to its new place, which is free now
  public record Move(LiveAttempt attempt, Assignment to) {}

  /// Moves that make room.
  ///
  /// @param place of the blocked job, once the moved jobs have left it
  /// @param lost GPU time that the moves lose, in units × milliseconds
  public record Plan(PoolState pool, Assignment place, List<Move> moves, double lost) {
    public Plan {
      moves = List.copyOf(moves);
    }
  }

  /// The bound on nodes that are looked at for one worker, those that seem the cheapest first.
  private static final int MAX_NODES = 64;

  /// The bound on steps of all nodes together; a step costs about a microsecond.
  private static final int MAX_STEPS = 5_000;

  private static final int STEPS_OF_A_PLAN = 20;

  /// A job that was started anew runs this long before it is moved. So it moves once an hour at
  /// most, however often it is also preempted.
  private static final Duration PAUSE = Duration.ofHours(1);

  private final Route route;
  private final Standing standing;
  private final Instant now;
  private final PlaceSearch.Steps steps = new PlaceSearch.Steps(MAX_STEPS);
  private final RemovalTrial trial;
  private final List<Candidate> candidates = new ArrayList<>();
  private @Nullable Instant retryAt;

  /// @param standing of the blocked job, with its need counted in
  public ConsolidationSearch(Route route, Standing standing, MovableAttempts movable, Instant now) {
    this.route = route;
    this.standing = standing;
    this.now = now;
    this.trial = new RemovalTrial(route);
    List<LiveAttempt> mayMove = new ArrayList<>();
    for (LiveAttempt attempt : movable.in(route.pool())) {
      if (isFree(attempt)) {
        mayMove.add(attempt);
      }
    }
    // The sort is stable: of equally expensive ones the first to start goes first.
    mayMove.sort(Comparator.comparingDouble(attempt -> attempt.lostByMove(now)));
    for (LiveAttempt attempt : mayMove) {
      candidates.add(new Candidate(attempt, candidates.size()));
    }
  }

  /// When an attempt may move that may not move now; empty: time alone changes nothing.
  public Optional<Instant> retryAt() {
    return Optional.ofNullable(retryAt);
  }

  /// Whether the attempt may move for the blocked job.
  private boolean isFree(LiveAttempt attempt) {
    QueueState queue = attempt.job().queue();
    if (attempt.startedAt() == null
        || attempt.job().state() != JobState.RUNNING
        || attempt.units() == 0
        || !attempt.claim().preemptible()
        || !attempt.job().isPreemptible()
        || queue.resolved().isEmpty()
        || !queue.isOpen()
        || queue.account() != attempt.policy()
        || queue.need() != attempt.units()
        || !mayStartAgain(attempt)) {
      return false;
    }
    Standing own = attempt.levels().standingWith(0);
    boolean comesFirst = own.compareTo(standing) < 0 && standing != Standing.ENTITLED;
    if (comesFirst || own == Standing.ABOVE_LIMIT) {
      return false;
    }
    Instant from = attempt.protectedUntil();
    if (attempt.id().number() > 1 && from.isBefore(attempt.from().plus(PAUSE))) {
      from = attempt.from().plus(PAUSE);
    }
    if (from.isAfter(now)) {
      retryAt = retryAt == null || from.isBefore(retryAt) ? from : retryAt;
      return false;
    }
    return true;
  }

  /// Whether the rights of its queue and user would let the job start now (A4, A5).
  private static boolean mayStartAgain(LiveAttempt attempt) {
    PolicyAccount account = attempt.policy();
    return (attempt.job().queue().overReservation() || attempt.levels().isEntitled(0))
        && account.charged(attempt.job().user()) <= account.perUserLimit();
  }

  /// The cheapest moves that make room.
  ///
  /// @param most GPU time, in units × milliseconds, that the moves lose less than
  public Optional<Plan> find(double most) {
    if (candidates.isEmpty() || trial.isOverCeiling() || trial.hasNodes()) {
      return Optional.empty();
    }
    Map<NodeState, List<Candidate>> byNode = byNode();
    Set<Candidate> moved = new LinkedHashSet<>();
    while (!trial.hasNodes()) {
      Set<Candidate> gained = cheapest(byNode, moved, most);
      if (gained == null) {
        return Optional.empty();
      }
      gained.forEach(candidate -> trial.remove(candidate.attempt()));
      moved.addAll(gained);
    }
    return plan(moved);
  }

  private Map<NodeState, List<Candidate>> byNode() {
    Map<NodeState, List<Candidate>> byNode = new LinkedHashMap<>();
    for (Candidate candidate : candidates) {
      for (NodeState node : new LinkedHashSet<>(candidate.attempt().nodes())) {
        if (trial.offers(node)) {
          byNode.computeIfAbsent(node, key -> new ArrayList<>()).add(candidate);
        }
      }
    }
    return byNode;
  }

  /// A node with the least that a worker's place on it costs, as far as its GPUs tell.
  private record Prospect(NodeState node, List<Candidate> users, double least) {}

  /// The cheapest jobs to move for one more worker, beside those that move already; null: none.
  private @Nullable Set<Candidate> cheapest(
      Map<NodeState, List<Candidate>> byNode, Set<Candidate> moved, double most) {
    List<Prospect> prospects = new ArrayList<>();
    byNode.forEach((node, users) -> {
      List<Candidate> left = users.stream().filter(user -> !moved.contains(user)).toList();
      double least = least(node, left);
      if (least < most) {
        prospects.add(new Prospect(node, left, least));
      }
    });
    prospects.sort(Comparator.comparingDouble(Prospect::least));
    Cheapest cheapest = new Cheapest(moved, most);
    for (Prospect prospect : prospects.subList(0, Math.min(MAX_NODES, prospects.size()))) {
      if (prospect.least() >= cheapest.bound() || steps.areUsedUp()) {
        break;
      }
      new NodeClearing(trial, prospect.node(), prospect.users(), cheapest, cheapest).findAll();
    }
    return cheapest.found;
  }

  /// Remembers the cheapest jobs whose move is possible.
  private final class Cheapest implements NodeClearing.Bounds, NodeClearing.Visitor {
    private final Set<Candidate> moved;
    private double left;
    private @Nullable Set<Candidate> found;

    Cheapest(Set<Candidate> moved, double most) {
      this.moved = moved;
      this.left = most - lost(moved);
    }

    /// The GPU time that more moves must lose less than.
    double bound() {
      return left;
    }

    @Override
    public int last() {
      return Integer.MAX_VALUE;
    }

    @Override
    public boolean permits(Set<Candidate> more) {
      return lost(more) < left;
    }

    @Override
    public boolean step() {
      return steps.take();
    }

    @Override
    public void visit(Set<Candidate> more) {
      if (!permits(more) || !steps.take(STEPS_OF_A_PLAN)) {
        return;
      }
      Set<Candidate> all = new LinkedHashSet<>(moved);
      all.addAll(more);
      if (trial.hasNodes() ? plan(all).isPresent() : relocate(all, Map.of()).isPresent()) {
        found = new LinkedHashSet<>(more);
        left = lost(more);
      }
    }
  }

  private double lost(Collection<Candidate> moved) {
    double sum = 0;
    for (Candidate candidate : moved) {
      sum += candidate.attempt().lostByMove(now);
    }
    return sum;
  }

  /// The cost of as many units as a worker misses on the node, were jobs divisible.
  private double least(NodeState node, List<Candidate> users) {
    Shape shape = trial.shape();
    long missing = shape.units() * (trial.workers(node) + 1) - trial.room(node).units();
    List<Candidate> cheapestFirst = new ArrayList<>(users);
    cheapestFirst.sort(
        Comparator.comparingDouble(
            user -> user.attempt().lostByMove(now) / user.attempt().units()));
    double sum = 0;
    for (Candidate user : cheapestFirst) {
      if (missing <= 0) {
        return sum;
      }
      long units = user.attempt().units();
      sum += user.attempt().lostByMove(now) * Math.min(missing, units) / units;
      missing -= units;
    }
    return missing <= 0 ? sum : Double.POSITIVE_INFINITY;
  }

  /// Places the blocked job and all that move for it; empty: they do not all fit.
  private Optional<Plan> plan(Set<Candidate> moved) {
    RemovalTrial without = new RemovalTrial(route);
    moved.forEach(candidate -> without.remove(candidate.attempt()));
    Map<NodeState, Room> rooms = without.rooms();
    Assignment place = GangPlacement.take(route.pool(), trial.shape(), rooms).orElseThrow();
    return relocate(moved, occupied(place, rooms.keySet()))
        .map(moves -> new Plan(route.pool(), place, moves, lost(moved)));
  }

  /// The free capacity on the nodes of the place, without it.
  private static Map<NodeState, Room> occupied(Assignment place, Collection<NodeState> nodes) {
    Map<NodeState, Room> rooms = new HashMap<>();
    for (NodeState node : nodes) {
      for (WorkerPlace worker : place.workers()) {
        if (worker.node().equals(node.id())) {
          rooms.computeIfAbsent(node, Room::now).takeBack(worker);
        }
      }
    }
    return rooms;
  }

  /// Other places for all that move, the largest first; empty: they do not all fit.
  private Optional<List<Move>> relocate(
      Collection<Candidate> moved, Map<NodeState, Room> inOwnPool) {
    Map<PoolState, Map<NodeState, Room>> rooms = new HashMap<>();
    rooms.put(route.pool(), new HashMap<>(inOwnPool));
    Map<PoolState, Long> more = new HashMap<>();
    List<Move> moves = new ArrayList<>();
    List<LiveAttempt> largestFirst = new ArrayList<>();
    moved.forEach(candidate -> largestFirst.add(candidate.attempt()));
    largestFirst.sort(
        Comparator.comparingLong(LiveAttempt::units)
            .reversed()
            .thenComparingLong(LiveAttempt::sequence));
    for (LiveAttempt attempt : largestFirst) {
      Assignment to = placeElsewhere(attempt, rooms, more);
      if (to == null) {
        return Optional.empty();
      }
      moves.add(new Move(attempt, to));
    }
    return Optional.of(moves);
  }

  /// The first pool in its routing order with another place for the attempt (O6).
  ///
  /// @param more units that move into each pool from another one
  private static @Nullable Assignment placeElsewhere(
      LiveAttempt attempt, Map<PoolState, Map<NodeState, Room>> rooms, Map<PoolState, Long> more) {
    for (Route own : attempt.job().queue().routes(attempt.job())) {
      PoolState pool = own.pool();
      long units = more.getOrDefault(pool, 0L) + attempt.units();
      boolean stays = pool == attempt.pool();
      if (!stays && !(pool.hasRoom(units) && own.tenant().hasRoom(units))) {
        continue;
      }
      Optional<Assignment> found =
          GangPlacement.take(
              pool, own.ranking().shape(), rooms.computeIfAbsent(pool, key -> new HashMap<>()));
      if (found.isPresent()) {
        if (!stays) {
          more.put(pool, units);
        }
        return found.get();
      }
    }
    return null;
  }
}

package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Weighing;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.RoomRequest;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.Standing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;

/// Makes room for a job that fits nowhere (P1-P4, P7, P9, P10).
///
/// 1. If the job fits once everything that already stops has stopped, it waits for that: there are
///    no victims.
/// 2. Otherwise victims are taken in their order, suspended ones first, over all its pools, until
///    it fits in one of them: the shortest prefix.
/// 3. From the prefix, the fewest victims and then the least lost work are chosen; all others are
///    given back.
/// 4. If the whole order leads to no place, each place is looked at by itself ([PlaceSearch]).
///
/// An attempt that frees more than [#OVERSIZED] times what the job needs is passed over as long as
/// others of its standing suffice.
///
/// Example: R&D has 9 of 10 with three jobs of 3, reservation 5. DevOps asks for 3. 1 is idle; the
/// last started of R&D (9 > 5) makes it 4, and the job fits: one victim. Then DevOps asks for 2. 1
/// is idle; R&D has 6 > 5, so its last started goes, and R&D ends at 3, below its reservation.
public final class PreemptionSearch {
  /// The outcome of a search.
  public sealed interface Result {
    /// The job can have the place when the victims have left it.
    ///
    /// @param victims to be asked to stop, in the order of [VictimWalk]; none when it only waits
    ///   for those that stop anyway
    /// @param search how they were found
    record Found(PoolState pool, Assignment place, List<LiveAttempt> victims, Search search)
        implements Result {
      /// A place that was found otherwise.
      public Found(PoolState pool, Assignment place, List<LiveAttempt> victims) {
        this(pool, place, victims, Search.NONE);
      }
    }

    /// No permitted victims make room.
    ///
    /// @param retryAt when the protection of a skipped attempt ends
    /// @param gaveUp whether the search ended at its bound, so that room may exist nevertheless
    record NotFound(Optional<Instant> retryAt, boolean gaveUp) implements Result {
      /// Also retries at this time, if it is earlier.
      NotFound by(Optional<Instant> time) {
        boolean isEarlier =
            time.isPresent() && retryAt.map(known -> time.get().isBefore(known)).orElse(true);
        return isEarlier ? new NotFound(time, gaveUp) : this;
      }
    }
  }

  /// How victims were found.
  ///
  /// @param considered attempts of which they were chosen
  /// @param oversized the victims that free more than [#OVERSIZED] times the need, each with the
  ///   number of smaller attempts of its standing
  public record Search(Weighing.Way way, int considered, Map<LiveAttempt, Integer> oversized) {
    static final Search NONE = new Search(Weighing.Way.ORDER, 0, Map.of());

    /// How many smaller attempts of its standing did not suffice; empty: it is not oversized.
    public OptionalInt smallerThan(LiveAttempt victim) {
      Integer smaller = oversized.get(victim);
      return smaller == null ? OptionalInt.empty() : OptionalInt.of(smaller);
    }
  }

  /// Bounds the walk; a step costs about a microsecond.
  public static final int MAX_STEPS = 200_000;

  /// An attempt that frees more than this many times the need is oversized.
  private static final int OVERSIZED = 4;

  private final PossibleVictims possibleVictims;
  private final Instant now;
  private final int maxSteps;
  private final Map<OrderKey, VictimOrder> orders = new HashMap<>();

  private final Map<OrderKey, Candidates> candidates = new HashMap<>();

  /// The attempts that are passed over.
  private final Map<OrderKey, Candidates> larger = new HashMap<>();

  /// The key on which the order of victims depends under P1.
  private record OrderKey(
      Set<PoolState> pools,
      Optional<DepartmentAccount> department,
      Reclaim reclaim,
      PassedOver passedOver) {
    static OrderKey of(RoomRequest request, PassedOver passedOver) {
      return new OrderKey(
          request.group().pools(), request.group().department(), request.reclaim(), passedOver);
    }
  }

  /// Attempts that are spared for their size.
  ///
  /// @param most the units that an attempt may have
  /// @param but those of these standings are not spared
  private record PassedOver(long most, Set<Standing> but) implements Predicate<LiveAttempt> {
    static final PassedOver NONE = new PassedOver(Long.MAX_VALUE, Set.of());

    PassedOver {
      but = Set.copyOf(but);
    }

    @Override
    public boolean test(LiveAttempt attempt) {
      return attempt.takenUnits() > most && !but.contains(VictimWalk.standing(attempt));
    }
  }

  /// A search, or several as long as nothing changes except that entitled jobs start. Their starts
  /// leave the order of victims unchanged, and free capacity only shrinks.
  ///
  /// @param maxSteps bounds each search; [#MAX_STEPS]
  public PreemptionSearch(PossibleVictims possibleVictims, Instant now, int maxSteps) {
    this.possibleVictims = possibleVictims;
    this.now = now;
    this.maxSteps = maxSteps;
  }

  /// Finds a place and the victims that have to leave it.
  public Result search(RoomRequest request) {
    for (Route route : request.routes()) {
      RemovalTrial trial = new RemovalTrial(request, route);
      if (trial.fits()) {
        return new Result.Found(route.pool(), trial.place(), List.of());
      }
    }
    long most = OVERSIZED * request.need();
    boolean someAreOversized =
        request.routes().stream()
            .anyMatch(route -> possibleVictims.areSomeLarger(route.pool(), most));
    return someAreOversized ? searchInStages(request, most) : search(request, PassedOver.NONE);
  }

  /// The first search passes over oversized attempts. A job is spared for its size only as long as
  /// others of its own standing suffice. So if one was passed over whose standing is worse than
  /// that of the most protected victim, the next search takes in all of its standing.
  private Result searchInStages(RoomRequest request, long most) {
    PassedOver passedOver = new PassedOver(most, Set.of());
    while (true) {
      Result result = search(request, passedOver);
      Set<Standing> more = EnumSet.noneOf(Standing.class);
      for (Standing standing : standingsOf(request, passedOver)) {
        if (isWorseThanAllOf(result, standing)) {
          more.add(standing);
        }
      }
      if (more.isEmpty()) {
        return switch (result) {
          // Attempts that were passed over may be protected for now, too.
          case Result.NotFound none -> none.by(larger(request, passedOver).protectedUntil());
          case Result.Found found -> withOversized(found, request, most);
        };
      }
      more.addAll(passedOver.but());
      passedOver = new PassedOver(most, more);
    }
  }

  /// Counts the smaller attempts that were looked at before the oversized victims.
  private Result.Found withOversized(Result.Found found, RoomRequest request, long most) {
    Map<LiveAttempt, Integer> oversized = new HashMap<>();
    for (LiveAttempt victim : found.victims()) {
      if (victim.takenUnits() > most) {
        Standing standing = VictimWalk.standing(victim);
        Candidates smaller = candidates(request, new PassedOver(most, Set.of()));
        oversized.put(victim, smaller.count(standing));
      }
    }
    return oversized.isEmpty()
        ? found
        : new Result.Found(
            found.pool(),
            found.place(),
            found.victims(),
            new Search(found.search().way(), found.search().considered(), Map.copyOf(oversized)));
  }

  /// The standings of those that were passed over and could go by themselves.
  private Set<Standing> standingsOf(RoomRequest request, PassedOver passedOver) {
    Set<Standing> standings = EnumSet.noneOf(Standing.class);
    Candidates larger = larger(request, passedOver);
    for (Route route : request.routes()) {
      Permission permission = new Permission(request, route);
      for (Candidate candidate : larger.in(route.pool())) {
        Standing standing = VictimWalk.standing(candidate.attempt());
        if (!standings.contains(standing) && permission.allowsSoFar(List.of(candidate))) {
          standings.add(standing);
        }
      }
    }
    return standings;
  }

  private static boolean isWorseThanAllOf(Result result, Standing standing) {
    return !(result instanceof Result.Found found)
        || found.victims().stream()
            .anyMatch(victim -> VictimWalk.standing(victim).compareTo(standing) < 0);
  }

  private Result search(RoomRequest request, PassedOver passedOver) {
    VictimOrder order = order(request, passedOver);
    List<RemovalTrial> trials = new ArrayList<>();
    for (Route route : request.routes()) {
      trials.add(new RemovalTrial(request, route));
    }
    boolean gaveUp = false;
    if (request.within() || !trials.stream().allMatch(order::isKnownNotToSuffice)) {
      Result found = alongOrder(request, order, trials);
      if (found instanceof Result.Found) {
        return found;
      }
      gaveUp = ((Result.NotFound) found).gaveUp();
    }
    return byPlace(request, passedOver, gaveUp);
  }

  /// Takes victims in their order until the job fits.
  private Result alongOrder(RoomRequest request, VictimOrder order, List<RemovalTrial> trials) {
    Map<RemovalTrial, List<LiveAttempt>> prefixes = new HashMap<>();
    for (int steps = 0; steps < maxSteps; steps++) {
      LiveAttempt victim = order.get(steps);
      if (victim == null) {
        return new Result.NotFound(order.protectedUntil(), false);
      }
      List<RemovalTrial> fitting = new ArrayList<>();
      for (RemovalTrial trial : trials) {
        if (trial.gainsBy(victim)) {
          List<LiveAttempt> prefix = prefixes.computeIfAbsent(trial, key -> new ArrayList<>());
          prefix.add(victim);
          trial.remove(victim);
          if (trial.fits()) {
            fitting.add(trial);
          } else if (request.within() && trial.hasNodes()) {
            fitsByOneRule(request, trial, prefix)
                .ifPresent(part -> {
                  fitting.add(trial);
                  prefixes.put(trial, part);
                });
          }
        }
      }
      if (!fitting.isEmpty()) {
        return cheapest(fitting, prefixes);
      }
    }
    return new Result.NotFound(order.protectedUntil(), true);
  }

  /// Where a prefix makes room and is not permitted, its jobs of the own policy alone may be, or
  /// those of others alone: P9 binds the usage of a policy that loses jobs by it, and P1 asks for a
  /// reservation.
  ///
  /// @param trial without the prefix; with a result, without that alone
  private static Optional<List<LiveAttempt>> fitsByOneRule(
      RoomRequest request, RemovalTrial trial, List<LiveAttempt> prefix) {
    for (boolean own : List.of(true, false)) {
      List<LiveAttempt> part = new ArrayList<>();
      List<LiveAttempt> rest = new ArrayList<>();
      for (LiveAttempt victim : prefix) {
        (request.isOwn(victim) == own ? part : rest).add(victim);
      }
      rest.forEach(trial::restore);
      if (trial.fits()) {
        return Optional.of(part);
      }
      rest.forEach(trial::remove);
    }
    return Optional.empty();
  }

  private Result byPlace(RoomRequest request, PassedOver passedOver, boolean gaveUp) {
    Candidates candidates = candidates(request, passedOver);
    PlaceSearch search = new PlaceSearch(request, candidates, now, maxSteps);
    PlaceSearch.Choice choice = search.find();
    return choice == null
        ? new Result.NotFound(candidates.protectedUntil(), gaveUp || search.gaveUp())
        : new Result.Found(
            choice.trial().pool(),
            choice.trial().place(),
            choice.victims(),
            new Search(Weighing.Way.PLACE, candidates.size(), Map.of()));
  }

  /// A victim that makes room in the limit may complete the prefix in several pools: of these the
  /// one with the fewest victims, then the least lost work, then the first in routing order.
  private Result cheapest(
      List<RemovalTrial> fitting, Map<RemovalTrial, List<LiveAttempt>> prefixes) {
    RemovalTrial best = null;
    List<LiveAttempt> fewest = List.of();
    for (RemovalTrial trial : fitting) {
      List<LiveAttempt> prefix = Objects.requireNonNull(prefixes.get(trial));
      List<LiveAttempt> victims = VictimChoice.choose(trial, prefix, now);
      if (best == null
          || victims.size() < fewest.size()
          || (victims.size() == fewest.size() && lost(victims) < lost(fewest))) {
        best = trial;
        fewest = victims;
      }
    }
    RemovalTrial chosen = Objects.requireNonNull(best);
    int considered = Objects.requireNonNull(prefixes.get(chosen)).size();
    Search search = new Search(Weighing.Way.ORDER, considered, Map.of());
    return new Result.Found(chosen.pool(), chosen.place(), fewest, search);
  }

  private double lost(List<LiveAttempt> victims) {
    double sum = 0;
    for (LiveAttempt victim : victims) {
      sum += victim.lostWork(now);
    }
    return sum;
  }

  private VictimOrder order(RoomRequest request, PassedOver passedOver) {
    return isShared(request)
        ? orders.computeIfAbsent(
            OrderKey.of(request, passedOver), key -> new VictimOrder(walk(request, passedOver)))
        : new VictimOrder(walk(request, passedOver));
  }

  private Candidates candidates(RoomRequest request, PassedOver passedOver) {
    return isShared(request)
        ? candidates.computeIfAbsent(
            OrderKey.of(request, passedOver), key -> new Candidates(walk(request, passedOver)))
        : new Candidates(walk(request, passedOver));
  }

  private Candidates larger(RoomRequest request, PassedOver passedOver) {
    return isShared(request)
        ? larger.computeIfAbsent(
            OrderKey.of(request, passedOver), key -> walkOfLarger(request, passedOver))
        : walkOfLarger(request, passedOver);
  }

  private Candidates walkOfLarger(RoomRequest request, PassedOver passedOver) {
    return new Candidates(
        new VictimWalk(possibleVictims, request, now, each -> !passedOver.test(each)));
  }

  private VictimWalk walk(RoomRequest request, PassedOver passedOver) {
    return new VictimWalk(possibleVictims, request, now, passedOver);
  }

  /// Whether the order of victims depends on nothing but the [OrderKey]. Where attempts of the
  /// job's policy are suspended, victims depend on the job; where tenants share, also on starts
  /// (A3).
  private static boolean isShared(RoomRequest request) {
    return request.isEntitledOnly() && !request.group().isShared() && request.job() == null;
  }
}

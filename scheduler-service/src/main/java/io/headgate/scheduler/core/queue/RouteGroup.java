package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The queues whose jobs have the same routes. If a job of one of these queues fits on a route, so
/// does a job of each other queue. A thousand queues of ten profiles are ten groups, so a pool that
/// fills up concerns ten groups.
public final class RouteGroup {
  private final List<Route> routes;
  private final Set<PoolState> pools;
  private final boolean isElastic;
  private final boolean isShared;
  private final boolean consolidates;
  private final boolean isOrderedByPool;

  /// The first of the routes with the best position.
  private final int best;

  private int current;

  /// The index of the route of [#prospect()]; the number of routes: none.
  private int prospect;

  private Block notedSupplyBlock = Block.NONE;
  private boolean passedOver;

  public RouteGroup(List<Route> routes) {
    this.routes = List.copyOf(routes);
    this.pools = routes.stream().map(Route::pool).collect(Collectors.toUnmodifiableSet());
    this.isElastic = isElastic(routes);
    this.isShared = isShared(routes);
    this.consolidates = consolidates(routes);
    this.isOrderedByPool = isOrderedByPool(routes);
    this.best = best(routes);
    this.current = routes.size();
    this.prospect = routes.size();
  }

  private static int best(List<Route> routes) {
    int best = 0;
    for (int i = 1; i < routes.size(); i++) {
      best = routes.get(i).position() < routes.get(best).position() ? i : best;
    }
    return best;
  }

  /// The routes in routing order.
  public List<Route> routes() {
    return routes;
  }

  /// The pools of its routes, in no order.
  public Set<PoolState> pools() {
    return pools;
  }

  /// Whether one of the pools is elastic as things are configured now.
  public static boolean isElastic(List<Route> routes) {
    for (Route route : routes) {
      if (route.pool().pool().flatMap(Pool::elasticity).isPresent()) {
        return true;
      }
    }
    return false;
  }

  /// Whether one of its pools is elastic.
  public boolean isElastic() {
    return isElastic;
  }

  /// Whether jobs may be moved in one of the pools as things are configured now (P11).
  public static boolean consolidates(List<Route> routes) {
    for (Route route : routes) {
      if (route.pool().pool().map(Pool::consolidate).orElse(false)) {
        return true;
      }
    }
    return false;
  }

  /// Whether jobs may be moved in one of the pools (P11).
  public boolean consolidates() {
    return consolidates;
  }

  /// Whether tenants share one of the pools as things are configured now.
  public static boolean isShared(List<Route> routes) {
    for (Route route : routes) {
      if (route.tenant().isBound()) {
        return true;
      }
    }
    return false;
  }

  /// Whether tenants share one of its pools; then all its queues are one tenant's.
  public boolean isShared() {
    return isShared;
  }

  /// Whether more than the execution priority differs between the pools in the order of turns, as
  /// things are configured now: tenants share one, past use counts there (O4), or jobs are promoted
  /// there (O7).
  public static boolean isOrderedByPool(List<Route> routes) {
    for (Route route : routes) {
      if (route.tenant().isBound()
          || route.tenant().history().isKept()
          || route.pool().pool().flatMap(Pool::promoteAfter).isPresent()) {
        return true;
      }
    }
    return false;
  }

  /// Whether more than the execution priority differs between its pools in the order of turns.
  public boolean isOrderedByPool() {
    return isOrderedByPool;
  }

  /// The routes where the tenant's reservation has room for a non-preemptible job (A3, A8).
  List<Route> routesForNonPreemptible() {
    List<Route> open = new ArrayList<>(routes.size());
    for (Route route : routes) {
      if (route.admitsNonPreemptible()) {
        open.add(route);
      }
    }
    return open;
  }

  /// The routes on which the tenant's reservation keeps no job from being entitled; all where
  /// tenants do not share.
  public List<Route> routesWhereTenantIsEntitled() {
    if (!isShared) {
      return routes;
    }
    List<Route> entitled = new ArrayList<>(routes.size());
    for (Route route : routes) {
      if (route.upper().denying(route.need()) != route.tenant()) {
        entitled.add(route);
      }
    }
    return entitled;
  }

  /// The routes where the tenant's reservation lets such a job start as things stand.
  ///
  /// @param overReservation whether jobs that are not entitled may start
  List<Route> openRoutes(boolean preemptible, boolean overReservation) {
    List<Route> open = new ArrayList<>(routes.size());
    for (Route route : preemptible ? routes : routesForNonPreemptible()) {
      if (overReservation || route.upper().denying(route.need()) != route.tenant()) {
        open.add(route);
      }
    }
    return open;
  }

  /// The department that its policies are directly below.
  public Optional<DepartmentAccount> department() {
    return Optional.ofNullable(routes.isEmpty() ? null : routes.getFirst().upper().department());
  }

  /// The route to a pool; null: there is none.
  static @Nullable Route routeTo(PoolState pool, List<Route> routes) {
    for (Route route : routes) {
      if (route.pool() == pool) {
        return route;
      }
    }
    return null;
  }

  /// The first route on which the job fits now; null: none.
  static @Nullable Route fitting(List<Route> routes) {
    for (Route route : routes) {
      if (route.fits()) {
        return route;
      }
    }
    return null;
  }

  /// The first route on which the job will fit once all awaited nodes have reported; null: none.
  /// Only a new leader awaits nodes; without awaited nodes, this route equals that of [#fitting].
  /// It decides whose turn comes first. So turns come in the order that they will have after these
  /// reports.
  static @Nullable Route prospect(List<Route> routes) {
    for (Route route : routes) {
      if (route.willFit()) {
        return route;
      }
    }
    return null;
  }

  /// Counts the changes of its tenant's use of its pools, where tenants share.
  long tenantVersion() {
    if (!isShared) {
      return 0;
    }
    long version = 0;
    for (Route route : routes) {
      version += route.tenant().version();
    }
    return version;
  }

  /// The first route on which a job fits; null: none.
  public @Nullable Route route() {
    return current < routes.size() ? routes.get(current) : null;
  }

  /// As [#prospect(List)], of all its routes.
  @Nullable Route prospect() {
    return prospect < routes.size() ? routes.get(prospect) : null;
  }

  /// The profile's execution priority in the pool where its jobs are compared with others.
  int position() {
    return first().position();
  }

  /// The profile's best execution priority in its pools.
  int bestPosition() {
    return routes.isEmpty() ? Integer.MAX_VALUE : routes.get(best).position();
  }

  /// Whether the profile's execution priority is better than this in one of such pools.
  boolean isBetterIn(Predicate<PoolState> which, int position) {
    for (Route route : routes) {
      if (route.position() < position && which.test(route.pool())) {
        return true;
      }
    }
    return false;
  }

  /// Whether the profile's execution priority is better in another of its pools than in this one.
  boolean isBetterThanIn(PoolState pool) {
    for (Route route : routes) {
      if (route.pool() == pool) {
        return isBetterIn(any -> true, route.position());
      }
    }
    return false;
  }

  /// Notes that the group's jobs fit nowhere, and that a job found no room by preemption.
  ///
  /// @return whether that is news since [#findFirstRoutes] and holds for all queues of the group,
  ///   which then need no turns. With an elastic pool, a tenant's share or a pool that consolidates
  ///   it never holds for all
  public boolean beginsToBePassedOver() {
    boolean begins = !passedOver && route() == null && !isShared && !isElastic && !consolidates;
    passedOver |= begins;
    return begins;
  }

  /// The block that the supply means for all jobs with these routes. It concerns the first pool.
  static Block supplyBlock(List<Route> routes, StartRules rules) {
    boolean fits = fitting(routes) != null;
    rules.supply(routes, fits);
    if (fits) {
      return Block.NONE;
    }
    Route route = routes.getFirst();
    PoolState first = route.pool();
    if (!route.hasRoomForTenant()) {
      return Block.TENANT_LIMIT;
    }
    if (!first.isBelowCeilingWith(route.need())) {
      return Block.POOL_CAPACITY;
    }
    if (route.ranking().holderInTheWay().isPresent()) {
      return Block.HOLD;
    }
    return first.tally().readyNodes() == 0 || first.idleUnits() < route.need()
        ? Block.CAPACITY
        : Block.FRAGMENTATION;
  }

  /// Records the present supply block, for all its queues.
  public void noteSupplyBlock() {
    notedSupplyBlock = routes.isEmpty() ? Block.NONE : supplyBlock(routes, StartRules.ANSWERS_ONLY);
  }

  Block notedSupplyBlock() {
    return notedSupplyBlock;
  }

  /// The route on which its jobs are compared with others: the one that they take, or if they fit
  /// nowhere, the one with the best position. So no job that fits nowhere looks for room too late.
  Route first() {
    return routes.get(prospect < routes.size() ? prospect : best);
  }

  /// Looks for the first route anew.
  public void findFirstRoutes() {
    passedOver = false;
    current = 0;
    prospect = 0;
    advance();
  }

  /// Goes on to the next route if the pool of the first one is full; whether it had to.
  boolean advanceIfFull(PoolState pool) {
    if (!isFirstFull(pool)) {
      return false;
    }
    advance();
    return true;
  }

  /// Whether the pool of the first route is this one, and it is full.
  boolean isFirstFull(PoolState pool) {
    Route route = route();
    Route prospect = prospect();
    return (route != null && route.pool() == pool && !route.fits())
        || (prospect != null && prospect.pool() == pool && !prospect.willFit());
  }

  private void advance() {
    while (current < routes.size() && !routes.get(current).fits()) {
      current++;
    }
    while (prospect < routes.size() && !routes.get(prospect).willFit()) {
      prospect++;
    }
  }
}

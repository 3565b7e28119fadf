package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.TenantShare;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Ranking;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.ResolvedQueue;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.RouteGroup;
import io.headgate.scheduler.core.rights.Claim;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import io.headgate.scheduler.core.rights.UpperLevels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Applies a new catalog of a tenant.
final class CatalogInputs {
  private final World world;
  private final Transitions transitions;

  CatalogInputs(World world, Transitions transitions) {
    this.world = world;
    this.transitions = transitions;
  }

  /// Takes the catalog, then withdraws jobs whose queue is gone and holds that are no longer due.
  void apply(Catalog catalog) {
    Optional<Catalog> before = Optional.ofNullable(world.catalogs.get(catalog.tenant()));
    configure(catalog);
    new PolicySuccession(world, catalog, before).recount(transitions);
    forgetUnusedAccounts();
    for (QueueState queue : tenantQueues(catalog.tenant())) {
      if (queue.queue().isEmpty()) {
        withdraw(queue);
      }
    }
    Set<TenantId> concerned = new HashSet<>();
    concernedCatalogs(catalog).forEach(one -> concerned.add(one.tenant()));
    // The youngest first: where rights have become too small for all, the older ones stay.
    for (LiveHold hold : List.copyOf(world.holds.values()).reversed()) {
      // Holds of blocked jobs are found again in every pass.
      if (!hold.isForBlocked()
          && concerned.contains(hold.job().queue().id().tenant())
          && !hold.isStillDue(world.heldForBlocked(hold.pool()))) {
        transitions.holds().release(hold, HoldRelease.CONFIGURATION_CHANGED);
      }
    }
    for (QueueState queue : tenantQueues(catalog.tenant())) {
      transitions.forgetIfUnused(queue);
    }
  }

  /// Takes the catalog, without consequences for jobs.
  void configure(Catalog catalog) {
    Catalog before = world.catalogs.put(catalog.tenant(), catalog);
    world.changes.catalogChanged();
    configurePolicies(catalog, before);
    configureDepartments();
    configurePools(catalog);
    configureShares(catalog);
    for (Catalog one : concernedCatalogs(catalog)) {
      configureQueues(one);
    }
    world.demand(catalog.tenant()).retain(catalog.profiles());
    world.expect(catalog.tenant());
  }

  /// The catalog, and those whose profiles name shared pools, if these are in it.
  private List<Catalog> concernedCatalogs(Catalog catalog) {
    List<Catalog> concerned = new ArrayList<>(List.of(catalog));
    if (catalog.tenant().equals(TenantId.PLATFORM)) {
      for (Catalog other : world.catalogs.values()) {
        if (!other.sharedPools().isEmpty() && !other.tenant().equals(catalog.tenant())) {
          concerned.add(other);
        }
      }
    }
    return concerned;
  }

  private void configurePolicies(Catalog catalog, @Nullable Catalog before) {
    if (before != null) {
      for (Policy policy : before.policies()) {
        PolicyAccount account = world.accounts.get(policy.id());
        if (account != null) {
          account.configure(null);
        }
      }
    }
    for (Policy policy : catalog.policies()) {
      world.account(policy.id()).configure(policy);
    }
    forgetUnusedAccounts();
    countUsers();
  }

  private void configureDepartments() {
    List<Department> departments = new ArrayList<>();
    world.catalogs.values().forEach(each -> departments.addAll(each.departments()));
    world.departments.configure(departments, world.accounts.values());
  }

  private void forgetUnusedAccounts() {
    world
        .accounts
        .values()
        .removeIf(account -> account.policy().isEmpty() && account.attempts() == 0);
  }

  private void countUsers() {
    Map<PolicyAccount, List<Claim>> uncounted = new HashMap<>();
    for (PolicyAccount account : world.accounts.values()) {
      account.forgetUsers();
      if (account.mustCountUsers()) {
        uncounted.put(account, new ArrayList<>());
      }
    }
    if (uncounted.isEmpty()) {
      return;
    }
    // In no order: they are only summed up.
    for (LiveJob job : world.jobs.values()) {
      LiveAttempt attempt = job.attempt();
      LiveHold hold = job.hold();
      if (attempt != null && !attempt.isSuspended()) {
        uncounted.computeIfPresent(attempt.policy(), (_, claims) -> with(claims, attempt.claim()));
      }
      if (hold != null && !hold.isClaimedByAttempt()) {
        uncounted.computeIfPresent(hold.policy(), (_, claims) -> with(claims, hold.claim()));
      }
    }
    uncounted.forEach(PolicyAccount::countUsers);
  }

  private static <T> List<T> with(List<T> all, T more) {
    all.add(more);
    return all;
  }

  private void configurePools(Catalog catalog) {
    Map<PoolId, Pool> pools = new LinkedHashMap<>();
    for (Pool pool : catalog.pools()) {
      pools.put(pool.id(), pool);
      world.pool(pool.id());
    }
    for (PoolState state : world.pools.values()) {
      if (state.id().tenant().equals(catalog.tenant())) {
        Pool pool = pools.get(state.id());
        state.configure(pool);
        PastUses.configure(world, state);
        if (pool == null || pool.elasticity().isEmpty()) {
          state.nodes().forEach(node -> node.setIdleSince(null));
        }
      }
    }
  }

  private void configureShares(Catalog catalog) {
    Map<PoolId, List<TenantShare>> shares = new HashMap<>();
    for (TenantShare share : catalog.shares()) {
      shares.computeIfAbsent(share.pool(), key -> new ArrayList<>()).add(share);
    }
    for (PoolState pool : world.pools.values()) {
      if (pool.id().tenant().equals(catalog.tenant())) {
        world.tenants(pool).configure(shares.getOrDefault(pool.id(), List.of()));
      }
      // Shares of other tenants' pools depend on the policies of this one.
      world.tenants(pool).renew(world.departments);
    }
    countPolicies();
  }

  /// Counts the use of each policy where tenants share a pool from now on.
  private void countPolicies() {
    Set<TenantAccount> uncounted = new HashSet<>();
    for (PoolState pool : world.pools.values()) {
      for (TenantAccount account : world.tenants(pool).accounts()) {
        if (account.mustCount()) {
          account.beginCount();
          uncounted.add(account);
        }
      }
    }
    if (uncounted.isEmpty()) {
      return;
    }
    // In no order: they are only summed up.
    for (LiveJob job : world.jobs.values()) {
      LiveAttempt attempt = job.attempt();
      LiveHold hold = job.hold();
      if (attempt != null
          && !attempt.isSuspended()
          && attempt.stake() == Stake.LIVE
          && uncounted.contains(attempt.tenant())) {
        attempt.tenant().count(attempt.policy(), attempt.units());
      }
      if (hold != null && !hold.isForBlocked() && uncounted.contains(hold.tenant())) {
        hold.tenant().count(hold.policy(), hold.claim().units());
      }
    }
    for (LiveHold place : world.returningPlaces.values()) {
      if (uncounted.contains(place.tenant())) {
        place.tenant().count(place.policy(), place.claim().units());
      }
    }
  }

  private void configureQueues(Catalog catalog) {
    Map<QueueId, Queue> queues = new HashMap<>();
    for (Queue queue : catalog.queues()) {
      queues.put(queue.id(), queue);
      world.queue(queue.id());
    }
    Map<ProfileId, Profile> profiles = new HashMap<>();
    for (Profile profile : catalog.profiles()) {
      profiles.put(profile.id(), profile);
    }
    List<QueueState> states = tenantQueues(catalog.tenant());
    for (QueueState state : states) {
      state.resolved().ifPresent(resolved -> world.queuesOf.remove(resolved.account()));
    }
    for (QueueState state : states) {
      Queue queue = queues.get(state.id());
      ResolvedQueue resolved = queue == null ? null : resolve(queue, profiles.get(queue.profile()));
      state.configure(queue, resolved);
      if (resolved != null) {
        world.queuesOf.computeIfAbsent(resolved.account(), key -> new ArrayList<>()).add(state);
      }
    }
    keepUsedRoutes();
  }

  private void keepUsedRoutes() {
    Map<RouteGroup, List<QueueState>> used = new HashMap<>();
    for (QueueState queue : world.queues.values()) {
      queue
          .resolved()
          .map(ResolvedQueue::group)
          .ifPresent(group -> used.computeIfAbsent(group, key -> new ArrayList<>()).add(queue));
    }
    world.routeGroups.values().retainAll(used.keySet());
    world.queuesOfGroup.clear();
    world.queuesOfGroup.putAll(used);
    world.groupsOf.clear();
    world.queuesOfTenant.clear();
    world.promotingQueues.clear();
    world.queuesOfDepartment.clear();
    for (QueueState queue : world.queues.values()) {
      if (queue.promoter().isOn()) {
        world.promotingQueues.add(queue);
      }
      DepartmentAccount department =
          queue.resolved().flatMap(each -> each.account().department()).orElse(null);
      while (department != null) {
        world.queuesOfDepartment.computeIfAbsent(department, key -> new ArrayList<>()).add(queue);
        department = department.parent().orElse(null);
      }
      for (Route route : queue.routes()) {
        if (route.tenant().isBound()) {
          world.queuesOfTenant.computeIfAbsent(route.tenant(), key -> new ArrayList<>()).add(queue);
        }
      }
    }
    Set<Ranking> rankings = new HashSet<>();
    for (RouteGroup group : world.routeGroups.values()) {
      for (Route route : group.routes()) {
        rankings.add(route.ranking());
        world.groupsOf.computeIfAbsent(route.pool(), key -> new ArrayList<>()).add(group);
      }
    }
    for (PoolState pool : world.pools.values()) {
      pool.retainRankings(rankings);
    }
  }

  private @Nullable ResolvedQueue resolve(Queue queue, @Nullable Profile profile) {
    PolicyAccount account = world.accounts.get(queue.policy());
    if (profile == null || account == null || account.policy().isEmpty()) {
      return null;
    }
    Shape shape = Shape.of(profile);
    List<Route> routes = new ArrayList<>();
    for (PoolId id : new LinkedHashSet<>(profile.pools())) {
      PoolState pool = world.pools.get(id);
      if (pool != null && pool.admits(account.id())) {
        routes.add(
            new Route(
                pool,
                pool.executionPosition(profile.id()),
                pool.ranking(shape),
                new UpperLevels(
                    account.department().orElse(null), world.tenant(pool, account.id().tenant()))));
      }
    }
    List<Route> key = List.copyOf(routes);
    RouteGroup group = world.routeGroups.get(key);
    if (group == null
        || group.isElastic() != RouteGroup.isElastic(key)
        || group.isShared() != RouteGroup.isShared(key)
        || group.consolidates() != RouteGroup.consolidates(key)
        || group.isOrderedByPool() != RouteGroup.isOrderedByPool(key)) {
      group = new RouteGroup(key);
      world.routeGroups.put(key, group);
    }
    return new ResolvedQueue(queue, profile, shape, account, group);
  }

  private void withdraw(QueueState queue) {
    for (LiveJob job : List.copyOf(queue.holders())) {
      transitions.dequeue(job);
      transitions.move(job, JobEvent.WITHDRAW);
    }
    List<LiveJob> others = queue.waitingInLanes();
    others.addAll(queue.backedOff());
    others.addAll(queue.gated());
    for (LiveJob job : others) {
      transitions.dequeue(job);
      transitions.move(job, JobEvent.WITHDRAW);
    }
  }

  private List<QueueState> tenantQueues(TenantId tenant) {
    List<QueueState> queues = new ArrayList<>();
    for (QueueState queue : world.queues.values()) {
      if (queue.id().tenant().equals(tenant)) {
        queues.add(queue);
      }
    }
    return queues;
  }
}

package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.job.Attempt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/// A consequence of a change that its first decisions do not show; the change is allowed.
public sealed interface ChangeWarning {
  /// A pool is dedicated while others use it. Their jobs there run on; no new one starts.
  ///
  /// @param jobs of other policies that run there
  /// @param queues of other policies that lose the pool, by name
  record DedicatedInUse(PoolId pool, PolicyId owner, int jobs, List<QueueId> queues)
      implements ChangeWarning {
    public DedicatedInUse {
      queues = List.copyOf(queues);
    }
  }

  /// Every pool of a queue is dedicated to another policy, so its jobs never start.
  ///
  /// @param pool the first of its pools
  record QueueWithoutPool(QueueId queue, PoolId pool, PolicyId owner) implements ChangeWarning {}

  /// A policy is removed while jobs of it run.
  record PolicyInUse(PolicyId policy, int jobs) implements ChangeWarning {}

  /// The warnings before `after` replaces `before`.
  ///
  /// @param attempts the live ones, of any tenant
  static List<ChangeWarning> about(Catalog before, Catalog after, List<Attempt> attempts) {
    List<ChangeWarning> warnings = new ArrayList<>();
    Map<ProfileId, Profile> profiles =
        after.profiles().stream().collect(Collectors.toMap(Profile::id, it -> it));
    Map<PoolId, Pool> pools = after.pools().stream().collect(Collectors.toMap(Pool::id, it -> it));
    Map<PoolId, Optional<PolicyId>> owners = new HashMap<>();
    before.pools().forEach(pool -> owners.put(pool.id(), pool.dedicatedTo()));
    for (Pool pool : after.pools()) {
      Optional<PolicyId> owner = pool.dedicatedTo();
      if (owner.isPresent()
          && owners.containsKey(pool.id())
          && !owner.equals(owners.get(pool.id()))) {
        dedicated(pool.id(), owner.get(), after, profiles, attempts).ifPresent(warnings::add);
      }
    }
    for (Queue queue : after.queues()) {
      withoutPool(queue, profiles, pools).ifPresent(warnings::add);
    }
    for (PolicyId policy : removedPolicies(before, after)) {
      int jobs = count(attempts, policy);
      if (jobs > 0) {
        warnings.add(new PolicyInUse(policy, jobs));
      }
    }
    return List.copyOf(warnings);
  }

  private static Optional<ChangeWarning> dedicated(
      PoolId pool,
      PolicyId owner,
      Catalog after,
      Map<ProfileId, Profile> profiles,
      List<Attempt> attempts) {
    int jobs =
        (int)
            attempts.stream()
                .filter(it -> it.assignment().pool().equals(pool) && !it.policy().equals(owner))
                .count();
    List<QueueId> queues =
        after.queues().stream()
            .filter(queue -> !queue.policy().equals(owner))
            .filter(queue -> {
              Profile profile = profiles.get(queue.profile());
              return profile != null && profile.pools().contains(pool);
            })
            .map(Queue::id)
            .toList();
    return jobs == 0 && queues.isEmpty()
        ? Optional.empty()
        : Optional.of(new DedicatedInUse(pool, owner, jobs, queues));
  }

  private static Optional<ChangeWarning> withoutPool(
      Queue queue, Map<ProfileId, Profile> profiles, Map<PoolId, Pool> pools) {
    Profile profile = profiles.get(queue.profile());
    if (profile == null) {
      return Optional.empty();
    }
    List<Pool> known = profile.pools().stream().map(pools::get).filter(Objects::nonNull).toList();
    boolean isShutOut =
        !known.isEmpty()
            && known.stream()
                .allMatch(pool ->
                    pool.dedicatedTo().filter(owner -> !owner.equals(queue.policy())).isPresent());
    return isShutOut
        ? Optional.of(
            new QueueWithoutPool(
                queue.id(), known.getFirst().id(), known.getFirst().dedicatedTo().orElseThrow()))
        : Optional.empty();
  }

  private static List<PolicyId> removedPolicies(Catalog before, Catalog after) {
    return before.policies().stream()
        .map(policy -> policy.id())
        .filter(id -> after.policies().stream().noneMatch(policy -> policy.id().equals(id)))
        .toList();
  }

  private static int count(List<Attempt> attempts, PolicyId policy) {
    return (int) attempts.stream().filter(it -> it.policy().equals(policy)).count();
  }
}

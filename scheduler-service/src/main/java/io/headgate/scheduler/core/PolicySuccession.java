package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The policy on which running jobs and holds count after a change of their tenant's catalog, so
/// that no renaming of a policy passes a limit (A2).
///
/// 1. The policy of the job's queue, as provisioned now.
/// 2. If the queue or its policy is not provisioned: the policy on which it counted.
/// 3. If that is not provisioned either: the only policy of the same group in the same tenant.
/// 4. Otherwise the old account, which is kept while it has attempts.
///
/// The group of a policy is known up to the change that removes it. A policy that is made again in
/// a later change takes over what runs in queues of the same names, or under its own old name.
final class PolicySuccession {
  private final World world;
  private final Catalog catalog;
  private final Map<PolicyId, String> groupsBefore = new HashMap<>();

  /// @param catalog in force already
  /// @param before the one that it replaced
  PolicySuccession(World world, Catalog catalog, Optional<Catalog> before) {
    this.world = world;
    this.catalog = catalog;
    for (Policy policy : before.map(Catalog::policies).orElse(List.of())) {
      policy.group().ifPresent(group -> groupsBefore.put(policy.id(), group));
    }
  }

  /// Moves what counts on another policy now.
  void recount(Transitions transitions) {
    List<LiveAttempt> moved = new ArrayList<>();
    // In no order: sorted below.
    for (LiveJob job : world.jobs.values()) {
      LiveAttempt attempt = job.attempt();
      if (attempt != null && isOfCatalog(job) && of(job, attempt.policy()) != attempt.policy()) {
        moved.add(attempt);
      }
    }
    moved.sort(Comparator.comparingLong(LiveAttempt::sequence));
    for (LiveAttempt attempt : moved) {
      transitions.recount(attempt, of(attempt.job(), attempt.policy()));
    }
    for (LiveHold hold : world.holds.values()) {
      if (isOfCatalog(hold.job())) {
        PolicyAccount policy = of(hold.job(), hold.policy());
        if (policy != hold.policy()) {
          transitions.holds().recount(hold, policy);
        }
      }
    }
  }

  private boolean isOfCatalog(LiveJob job) {
    return job.queue().id().tenant().equals(catalog.tenant());
  }

  private PolicyAccount of(LiveJob job, PolicyAccount before) {
    return job.queue()
        .queue()
        .flatMap(queue -> provisioned(queue.policy()))
        .or(() -> provisioned(before.id()))
        .or(() -> ofTheSameGroup(before.id()))
        .orElse(before);
  }

  private Optional<PolicyAccount> provisioned(PolicyId id) {
    return Optional.ofNullable(world.accounts.get(id))
        .filter(account -> account.policy().isPresent());
  }

  private Optional<PolicyAccount> ofTheSameGroup(PolicyId gone) {
    String group = groupsBefore.get(gone);
    List<PolicyId> heirs = new ArrayList<>();
    for (Policy policy : catalog.policies()) {
      if (group != null
          && policy.group().equals(Optional.of(group))
          && policy.id().tenant().equals(gone.tenant())) {
        heirs.add(policy.id());
      }
    }
    return heirs.size() == 1 ? provisioned(heirs.getFirst()) : Optional.empty();
  }
}

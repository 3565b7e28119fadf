package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.SpentBudget;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A queue with everything that its configuration refers to.
public record ResolvedQueue(
    Queue queue, Profile profile, Shape shape, PolicyAccount account, RouteGroup group) {
  public List<Route> routes() {
    return group.routes();
  }

  /// The budget that alone keeps its jobs from starting; empty: none does, or it is paused.
  Optional<SpentBudget> closing() {
    return queue.open()
        ? account.policy().filter(Policy::isWaiting).flatMap(Policy::spent)
        : Optional.empty();
  }

  /// Users whose jobs may use idle capacity above the limit.
  Set<UserId> exceedLimit() {
    return account.policy().map(Policy::exceedLimit).orElse(Set.of());
  }
}

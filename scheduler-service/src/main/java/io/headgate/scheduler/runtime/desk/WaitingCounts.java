package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.desk.WaitingBounds.Met;
import io.headgate.scheduler.runtime.record.JobRecord;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Counts the jobs that wait, by tenant, queue and submitter, and compares them with the bounds.
/// Confined to the loop.
public final class WaitingCounts {
  private final Map<TenantId, Integer> tenants = new HashMap<>();
  private final Map<QueueId, Integer> queues = new HashMap<>();
  private final Map<String, Integer> users = new HashMap<>();
  private int total;

  /// Adds the counts of `more`.
  void addAll(WaitingCounts more) {
    total += more.total;
    more.tenants.forEach((tenant, count) -> tenants.merge(tenant, count, Integer::sum));
    more.queues.forEach((queue, count) -> queues.merge(queue, count, Integer::sum));
    more.users.forEach((user, count) -> users.merge(user, count, Integer::sum));
  }

  void add(QueueId queue, String user) {
    total++;
    tenants.merge(queue.tenant(), 1, Integer::sum);
    queues.merge(queue, 1, Integer::sum);
    users.merge(user, 1, Integer::sum);
  }

  void remove(QueueId queue, String user) {
    total--;
    less(tenants, queue.tenant());
    less(queues, queue);
    less(users, user);
  }

  void add(JobRecord job) {
    add(job.job().spec().queue(), job.metadata().submitter());
  }

  void remove(JobRecord job) {
    remove(job.job().spec().queue(), job.metadata().submitter());
  }

  /// The bound that one more job would exceed, if any.
  ///
  /// @param more jobs that are being taken and do not count here yet
  Optional<Met> met(QueueId queue, String user, WaitingCounts more, WaitingBounds bounds) {
    int ofUser = of(users, user) + of(more.users, user);
    if (ofUser >= bounds.perUser()) {
      return Optional.of(new Met(user, "per-user", ofUser, bounds.perUser()));
    }
    int ofQueue = of(queues, queue) + of(more.queues, queue);
    if (ofQueue >= bounds.perQueue()) {
      return Optional.of(
          new Met("queue '" + queue.name() + "'", "per-queue", ofQueue, bounds.perQueue()));
    }
    TenantId tenant = queue.tenant();
    int ofTenant = of(tenants, tenant) + of(more.tenants, tenant);
    if (ofTenant >= bounds.perTenant()) {
      return Optional.of(
          new Met("tenant '" + tenant + "'", "per-tenant", ofTenant, bounds.perTenant()));
    }
    int ofAll = total + more.total;
    return ofAll >= bounds.total()
        ? Optional.of(new Met("the installation", "total", ofAll, bounds.total()))
        : Optional.empty();
  }

  private static <K> int of(Map<K, Integer> counts, K key) {
    return counts.getOrDefault(key, 0);
  }

  private static <K> void less(Map<K, Integer> counts, K key) {
    counts.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1);
  }
}

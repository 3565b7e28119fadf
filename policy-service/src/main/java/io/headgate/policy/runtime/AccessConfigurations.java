package io.headgate.policy.runtime;

import io.headgate.kit.watch.WatchPosition;
import io.headgate.policy.core.access.AccessPart;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.AccessStep;
import io.headgate.policy.runtime.port.SupplyReader;

/// Groups, policies and queues of tenants. Thread-safe.
public final class AccessConfigurations {
  private final Changes changes;
  private final AccessWriter writer;
  private final AccessAttempts attempts;

  public AccessConfigurations(Changes changes, AccessWriter writer, SupplyReader supplies) {
    this.changes = changes;
    this.writer = writer;
    this.attempts = new AccessAttempts(supplies);
  }

  public AccessVersion get(TenantId tenant) {
    return changes.read(tables -> {
      Changes.find(tables, tenant);
      return tables.access().get(tenant);
    });
  }

  /// What follows for one who watches all tenants and has come to `seen`.
  public AccessStep since(WatchPosition seen) {
    return changes.read(tables -> tables.access().since(seen));
  }

  /// The items of one part, one at a time.
  public <I extends Comparable<I>, T, S> AccessItems<I, T, S> items(AccessPart<I, T, S> part) {
    return new AccessItems<>(part, changes, writer, attempts);
  }
}

package io.headgate.scheduler.core.catalog;

import java.util.Comparator;

/// Names a profile of a tenant.
public record ProfileId(TenantId tenant, String name) implements Comparable<ProfileId> {
  private static final Comparator<ProfileId> ORDER =
      Comparator.comparing(ProfileId::tenant).thenComparing(ProfileId::name);

  @Override
  public int compareTo(ProfileId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return tenant + "/" + name;
  }
}

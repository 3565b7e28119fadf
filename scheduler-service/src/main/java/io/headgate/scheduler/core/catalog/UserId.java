package io.headgate.scheduler.core.catalog;

/// Names a submitter inside the tenant of the queue: a user or a service account.
public record UserId(String name) implements Comparable<UserId> {
  @Override
  public int compareTo(UserId other) {
    return name.compareTo(other.name);
  }

  @Override
  public String toString() {
    return name;
  }
}

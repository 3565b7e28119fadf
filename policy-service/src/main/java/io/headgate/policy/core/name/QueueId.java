package io.headgate.policy.core.name;

import io.headgate.type.NameRule;

/// A queue, unique in its tenant.
public record QueueId(String value) implements Comparable<QueueId> {
  public QueueId {
    NameRule.require(value);
  }

  @Override
  public int compareTo(QueueId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}

package io.headgate.pool.core.name;

import io.headgate.type.NameRule;

/// A storage that nodes share. Its path is known to the nodes alone.
public record StorageId(String value) {
  public StorageId {
    NameRule.require(value);
  }

  @Override
  public String toString() {
    return value;
  }
}

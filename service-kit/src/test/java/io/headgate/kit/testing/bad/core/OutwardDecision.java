package io.headgate.kit.testing.bad.core;

import io.headgate.kit.testing.bad.store.Rows;

/// A core class that knows the store.
public final class OutwardDecision {
  public int decide(Rows rows) {
    return rows.hashCode();
  }
}

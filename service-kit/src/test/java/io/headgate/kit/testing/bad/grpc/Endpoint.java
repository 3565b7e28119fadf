package io.headgate.kit.testing.bad.grpc;

import io.headgate.kit.testing.bad.store.Rows;
import io.headgate.kit.testing.other.Foreign;

/// An endpoint that reads rows itself and calls another service's class.
public final class Endpoint {
  public int serve(Rows rows, Foreign foreign) {
    return rows.hashCode() + foreign.hashCode();
  }
}

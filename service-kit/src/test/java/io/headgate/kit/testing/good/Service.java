package io.headgate.kit.testing.good;

import io.headgate.kit.testing.good.grpc.Endpoint;
import io.headgate.kit.testing.good.runtime.Loop;
import io.headgate.kit.testing.good.store.PostgresRows;
import io.headgate.kit.time.TimeSource;

/// The composition root knows all of them, as one that is handed its database.
public final class Service {
  private final Loop loop;
  private final Endpoint endpoint;

  public Service(PostgresRows rows, TimeSource time) {
    this.loop = new Loop(time, rows);
    this.endpoint = new Endpoint(loop);
  }

  public Endpoint endpoint() {
    return endpoint;
  }
}

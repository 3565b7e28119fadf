package io.headgate.kit.grpc;

import io.grpc.BindableService;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The answers of `grpc.health.v1.Health` for the whole server (the empty name) and for each
/// service. A service does not serve until it is set to.
public final class HealthStatus {
  private final HealthStatusManager manager = new HealthStatusManager();
  private final Map<String, Boolean> serving = new ConcurrentHashMap<>();
  private volatile boolean stopped;

  HealthStatus(Iterable<String> services) {
    services.forEach(service -> manager.setStatus(service, ServingStatus.NOT_SERVING));
    manager.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.NOT_SERVING);
  }

  /// Sets whether a service can be used.
  ///
  /// @param service full name, such as `headgate.pool.v1.PoolService`; empty: the whole server
  public void set(String service, boolean serves) {
    serving.put(service, serves);
    manager.setStatus(service, serves ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
  }

  /// The last set state; false once the server stops.
  public boolean isServing(String service) {
    return !stopped && serving.getOrDefault(service, false);
  }

  void stop() {
    stopped = true;
    manager.enterTerminalState();
  }

  BindableService service() {
    return manager.getHealthService();
  }
}

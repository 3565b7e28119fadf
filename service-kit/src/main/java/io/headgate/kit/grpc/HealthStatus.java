package io.headgate.kit.grpc;

import io.grpc.BindableService;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;

/// What `grpc.health.v1.Health` answers, for the whole server (the empty name) and for each
/// service. A service is not serving until it says so.
public final class HealthStatus {
  private final HealthStatusManager manager = new HealthStatusManager();

  HealthStatus(Iterable<String> services) {
    services.forEach(service -> manager.setStatus(service, ServingStatus.NOT_SERVING));
    manager.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.NOT_SERVING);
  }

  /// States whether a service can be used.
  ///
  /// @param service full name, such as `headgate.pool.v1.PoolService`; empty: the whole server
  public void set(String service, boolean serving) {
    manager.setStatus(service, serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
  }

  void stop() {
    manager.enterTerminalState();
  }

  BindableService service() {
    return manager.getHealthService();
  }
}

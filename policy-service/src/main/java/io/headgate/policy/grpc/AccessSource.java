package io.headgate.policy.grpc;

import io.headgate.kit.watch.WatchSource;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.AccessConfigurations;
import io.headgate.policy.runtime.AccessStep;
import io.headgate.proto.policy.v1.WatchAccessResponse;
import java.util.List;

/// What one watcher of all access configurations is told.
final class AccessSource implements WatchSource<WatchAccessResponse> {
  private final AccessConfigurations access;

  AccessSource(AccessConfigurations access) {
    this.access = access;
  }

  @Override
  public Step<WatchAccessResponse> read(long version) {
    AccessStep step = access.since(version);
    if (step.isEmpty()) {
      return new Step<>(step.version(), List.of());
    }
    WatchAccessResponse message =
        WatchAccessResponse.newBuilder()
            .setVersion(step.version())
            .setSnapshot(step.isSnapshot())
            .addAllConfigurations(
                step.configurations().stream().map(AccessMapping::toProto).toList())
            .addAllDeletedTenants(step.deleted().stream().map(TenantId::value).toList())
            .build();
    return new Step<>(step.version(), List.of(message));
  }

  @Override
  public WatchAccessResponse alive(long version) {
    return WatchAccessResponse.newBuilder().setVersion(version).build();
  }
}

package io.headgate.policy.grpc;

import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.watch.WatchParts;
import io.headgate.kit.watch.WatchSource;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.AccessConfigurations;
import io.headgate.policy.runtime.port.AccessStep;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.WatchAccessResponse;
import java.util.List;

/// One watcher's view of all access configurations. Confined to the watch's thread.
final class AccessSource implements WatchSource<WatchAccessResponse> {
  private final AccessConfigurations access;
  private String incarnation;

  /// @param incarnation of the watcher's version
  AccessSource(AccessConfigurations access, String incarnation) {
    this.access = access;
    this.incarnation = incarnation;
  }

  @Override
  public Step<WatchAccessResponse> read(long version) {
    AccessStep step = access.since(new WatchPosition(incarnation, version));
    incarnation = step.position().incarnation();
    if (step.isEmpty()) {
      return new Step<>(step.position().version(), List.of());
    }
    return new Step<>(
        step.position().version(),
        WatchParts.split(message(step), WatchParts.BOUND, WatchAccessResponse.LAST_FIELD_NUMBER));
  }

  @Override
  public WatchAccessResponse alive(long version) {
    return WatchAccessResponse.newBuilder()
        .setIncarnation(incarnation)
        .setVersion(version)
        .setLast(true)
        .build();
  }

  private static AccessConfiguration message(AccessStep.OfTenant tenant) {
    return AccessMapping.toProto(tenant.version()).toBuilder()
        .addAllAdmins(tenant.admins().stream().map(UserId::value).toList())
        .setAdminsStated(true)
        .build();
  }

  private static WatchAccessResponse message(AccessStep step) {
    return WatchAccessResponse.newBuilder()
        .setIncarnation(step.position().incarnation())
        .setVersion(step.position().version())
        .setSnapshot(step.isSnapshot())
        .setLast(true)
        .addAllConfigurations(step.configurations().stream().map(AccessSource::message).toList())
        .addAllDeletedTenants(step.deleted().stream().map(TenantId::value).toList())
        .build();
  }
}

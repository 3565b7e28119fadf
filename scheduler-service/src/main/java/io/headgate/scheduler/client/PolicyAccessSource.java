package io.headgate.scheduler.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Channel;
import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.watch.WatchParts;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.WatchAccessRequest;
import io.headgate.proto.policy.v1.WatchAccessResponse;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.catalog.Access;
import io.headgate.scheduler.runtime.catalog.CatalogSource;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.record.Batch.CatalogChange;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import io.headgate.scheduler.runtime.record.Document;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Groups, policies and queues, as policy-service has them.
public final class PolicyAccessSource implements CatalogSource {
  private static final String TENANT = "tenants/";

  private final Channel channel;

  /// Follows the policy-service behind the channel.
  public PolicyAccessSource(Channel channel) {
    this.channel = channel;
  }

  @Override
  public String name() {
    return ACCESS;
  }

  @Override
  public CatalogUpdate decode(WatchPosition position, List<CatalogEntry> entries) {
    WatchAccessResponse.Builder all =
        WatchAccessResponse.newBuilder()
            .setIncarnation(position.incarnation())
            .setVersion(position.version())
            .setSnapshot(true);
    try {
      for (CatalogEntry entry : entries) {
        all.addConfigurations(AccessConfiguration.parseFrom(entry.document().bytes()));
      }
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the stored rights cannot be read", e);
    }
    return update(all.build());
  }

  @Override
  public Watch watch(WatchPosition from, Consumer<CatalogUpdate> sink) {
    return new VersionedWatch<>(
            "access",
            from,
            new AccessStream(channel),
            (WatchAccessResponse message) -> {
              if (changes(message)) {
                sink.accept(update(message));
              }
            })
        .start();
  }

  private record AccessStream(Channel channel)
      implements VersionedWatch.Stream<WatchAccessResponse> {
    @Override
    public Iterator<WatchAccessResponse> open(WatchPosition from, Optional<Duration> deadline) {
      return VersionedWatch.within(
              AccessConfigurationServiceGrpc.newBlockingStub(channel), deadline)
          .watchAccess(
              WatchAccessRequest.newBuilder()
                  .setIncarnation(from.incarnation())
                  .setVersion(from.version())
                  .setOneStep(deadline.isPresent())
                  .build());
    }

    @Override
    public WatchPosition position(WatchAccessResponse message) {
      return new WatchPosition(message.getIncarnation(), message.getVersion());
    }

    @Override
    public boolean isSnapshot(WatchAccessResponse message) {
      return message.getSnapshot();
    }

    @Override
    public boolean isLast(WatchAccessResponse part) {
      return part.getLast();
    }

    @Override
    public WatchAccessResponse join(List<WatchAccessResponse> parts) {
      return WatchParts.join(parts);
    }
  }

  private static boolean changes(WatchAccessResponse message) {
    return message.getSnapshot()
        || message.getConfigurationsCount() > 0
        || message.getDeletedTenantsCount() > 0;
  }

  private static CatalogUpdate.OfAccess update(WatchAccessResponse message) {
    List<CatalogEntry> entries = new ArrayList<>();
    List<Access> accesses = new ArrayList<>();
    for (AccessConfiguration each : message.getConfigurationsList()) {
      entries.add(new CatalogEntry(TENANT + each.getTenant(), Document.of(each.toByteArray())));
      accesses.add(AccessMapper.toAccess(new TenantId(each.getTenant()), each, PartReader.LENIENT));
    }
    return new CatalogUpdate.OfAccess(
        new CatalogChange(
            new WatchPosition(message.getIncarnation(), message.getVersion()),
            message.getSnapshot(),
            entries,
            message.getDeletedTenantsList().stream().map(tenant -> TENANT + tenant).toList()),
        accesses,
        message.getDeletedTenantsList().stream().map(TenantId::new).toList());
  }
}

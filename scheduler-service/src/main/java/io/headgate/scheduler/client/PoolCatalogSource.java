package io.headgate.scheduler.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Channel;
import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.watch.WatchParts;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.proto.pool.v1.WatchCatalogRequest;
import io.headgate.proto.pool.v1.WatchCatalogResponse;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.catalog.CatalogSource;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.catalog.Supply;
import io.headgate.scheduler.runtime.record.Batch.CatalogChange;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import io.headgate.scheduler.runtime.record.Document;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Pools, profiles and nodes, as pool-service has them.
public final class PoolCatalogSource implements CatalogSource {
  private static final String TENANT = "tenants/";

  /// Ends the key of an undecided change, which is no resource name.
  private static final String PREPARED = "/prepared";

  private final Channel channel;

  /// Follows the pool-service behind the channel.
  public PoolCatalogSource(Channel channel) {
    this.channel = channel;
  }

  @Override
  public String name() {
    return SUPPLY;
  }

  @Override
  public CatalogUpdate decode(WatchPosition position, List<CatalogEntry> entries) {
    WatchCatalogResponse.Builder all =
        WatchCatalogResponse.newBuilder()
            .setIncarnation(position.incarnation())
            .setVersion(position.version())
            .setSnapshot(true);
    try {
      for (CatalogEntry entry : entries) {
        byte[] document = entry.document().bytes();
        // A tenant or node may be called "nodes" or "prepared", so the place of a word counts.
        switch (entry.key().split("/", -1).length) {
          case 2 -> all.addConfigurations(ResourceConfiguration.parseFrom(document));
          case 3 -> all.addPrepared(ResourceConfiguration.parseFrom(document));
          default -> all.addNodes(Node.parseFrom(document));
        }
      }
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the stored catalog cannot be read", e);
    }
    return update(all.build());
  }

  @Override
  public Watch watch(WatchPosition from, Consumer<CatalogUpdate> sink) {
    return new VersionedWatch<>(
            "pool catalog",
            from,
            new CatalogStream(channel),
            (WatchCatalogResponse message) -> {
              if (changes(message)) {
                sink.accept(update(message));
              }
            })
        .start();
  }

  private record CatalogStream(Channel channel)
      implements VersionedWatch.Stream<WatchCatalogResponse> {
    @Override
    public Iterator<WatchCatalogResponse> open(WatchPosition from, Optional<Duration> deadline) {
      return VersionedWatch.within(
              ResourceConfigurationServiceGrpc.newBlockingStub(channel), deadline)
          .watchCatalog(
              WatchCatalogRequest.newBuilder()
                  .setIncarnation(from.incarnation())
                  .setVersion(from.version())
                  .setOneStep(deadline.isPresent())
                  .build());
    }

    @Override
    public WatchPosition position(WatchCatalogResponse message) {
      return new WatchPosition(message.getIncarnation(), message.getVersion());
    }

    @Override
    public boolean isSnapshot(WatchCatalogResponse message) {
      return message.getSnapshot();
    }

    @Override
    public boolean isLast(WatchCatalogResponse part) {
      return part.getLast();
    }

    @Override
    public WatchCatalogResponse join(List<WatchCatalogResponse> parts) {
      return WatchParts.join(parts);
    }
  }

  private static boolean changes(WatchCatalogResponse message) {
    return message.getSnapshot()
        || message.getConfigurationsCount() > 0
        || message.getPreparedCount() > 0
        || message.getDeletedTenantsCount() > 0
        || message.getNodesCount() > 0
        || message.getDeletedNodesCount() > 0;
  }

  private static CatalogUpdate.OfSupply update(WatchCatalogResponse message) {
    List<CatalogEntry> entries = new ArrayList<>();
    List<Supply> supplies = new ArrayList<>();
    for (ResourceConfiguration each : message.getConfigurationsList()) {
      entries.add(new CatalogEntry(TENANT + each.getTenant(), Document.of(each.toByteArray())));
      supplies.add(SupplyMapper.toSupply(new TenantId(each.getTenant()), each, PartReader.LENIENT));
    }
    List<Supply> prepared = new ArrayList<>();
    Set<String> withoutPrepared = new LinkedHashSet<>(message.getDeletedTenantsList());
    message.getConfigurationsList().forEach(each -> withoutPrepared.add(each.getTenant()));
    for (ResourceConfiguration each : message.getPreparedList()) {
      withoutPrepared.remove(each.getTenant());
      entries.add(
          new CatalogEntry(TENANT + each.getTenant() + PREPARED, Document.of(each.toByteArray())));
      prepared.add(SupplyMapper.toSupply(new TenantId(each.getTenant()), each, PartReader.LENIENT));
    }
    List<Supply.Machine> machines = new ArrayList<>();
    for (Node node : message.getNodesList()) {
      entries.add(new CatalogEntry(node.getName(), Document.of(node.toByteArray())));
      SupplyMapper.toMachine(node).ifPresent(machines::add);
    }
    List<String> removedKeys = new ArrayList<>(message.getDeletedNodesList());
    message.getDeletedTenantsList().forEach(tenant -> removedKeys.add(TENANT + tenant));
    withoutPrepared.forEach(tenant -> removedKeys.add(TENANT + tenant + PREPARED));
    return new CatalogUpdate.OfSupply(
        new CatalogChange(
            new WatchPosition(message.getIncarnation(), message.getVersion()),
            message.getSnapshot(),
            entries,
            removedKeys),
        supplies,
        prepared,
        message.getDeletedTenantsList().stream().map(TenantId::new).toList(),
        machines,
        message.getDeletedNodesList().stream()
            .map(SupplyMapper::toNodeId)
            .flatMap(Optional<NodeId>::stream)
            .toList());
  }
}

package io.headgate.pool.grpc;

import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.watch.WatchParts;
import io.headgate.kit.watch.WatchSource;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.runtime.Catalog;
import io.headgate.pool.runtime.Catalog.Update;
import io.headgate.proto.pool.v1.WatchCatalogResponse;
import java.util.List;
import java.util.Optional;

/// One watcher's view of the catalog. Confined to the watch's thread.
final class CatalogSource implements WatchSource<WatchCatalogResponse> {
  private final Catalog catalog;
  private String incarnation;

  /// @param incarnation of the watcher's version
  CatalogSource(Catalog catalog, String incarnation) {
    this.catalog = catalog;
    this.incarnation = incarnation;
  }

  @Override
  public Step<WatchCatalogResponse> read(long version) {
    Optional<Update> update = catalog.after(new WatchPosition(incarnation, version));
    if (update.isEmpty()) {
      return new Step<>(version, List.of());
    }
    WatchPosition position = update.get().position();
    incarnation = position.incarnation();
    return new Step<>(
        position.version(),
        WatchParts.split(
            message(update.get()), WatchParts.BOUND, WatchCatalogResponse.LAST_FIELD_NUMBER));
  }

  @Override
  public WatchCatalogResponse alive(long version) {
    return WatchCatalogResponse.newBuilder()
        .setIncarnation(incarnation)
        .setVersion(version)
        .setLast(true)
        .build();
  }

  private static WatchCatalogResponse message(Update update) {
    WatchCatalogResponse.Builder message =
        WatchCatalogResponse.newBuilder()
            .setIncarnation(update.position().incarnation())
            .setVersion(update.position().version())
            .setSnapshot(update.snapshot())
            .setLast(true);
    update
        .configurations()
        .forEach((tenant, provisioned) ->
            message.addConfigurations(ConfigurationMessages.message(tenant, provisioned)));
    update
        .prepared()
        .forEach((tenant, prepared) ->
            ConfigurationMessages.next(tenant, prepared).ifPresent(message::addPrepared));
    update.deletedTenants().stream().map(TenantId::value).forEach(message::addDeletedTenants);
    update.nodes().stream().map(NodeMessages::message).forEach(message::addNodes);
    update.deletedNodes().stream()
        .map(node -> Names.of(node.tenant(), node.node()))
        .forEach(message::addDeletedNodes);
    return message.build();
  }
}

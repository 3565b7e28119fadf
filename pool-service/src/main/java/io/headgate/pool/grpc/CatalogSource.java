package io.headgate.pool.grpc;

import io.headgate.kit.watch.WatchSource;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.runtime.Catalog;
import io.headgate.pool.runtime.Catalog.Update;
import io.headgate.proto.pool.v1.WatchCatalogResponse;
import java.util.List;

/// The catalog as one watcher reads it.
record CatalogSource(Catalog catalog) implements WatchSource<WatchCatalogResponse> {

  @Override
  public Step<WatchCatalogResponse> read(long version) {
    return catalog
        .after(version)
        .map(update -> new Step<>(update.version(), List.of(message(update))))
        .orElseGet(() -> new Step<>(version, List.of()));
  }

  @Override
  public WatchCatalogResponse alive(long version) {
    return WatchCatalogResponse.newBuilder().setVersion(version).build();
  }

  private static WatchCatalogResponse message(Update update) {
    WatchCatalogResponse.Builder message =
        WatchCatalogResponse.newBuilder()
            .setVersion(update.version())
            .setSnapshot(update.snapshot());
    update
        .configurations()
        .forEach((tenant, provisioned) ->
            message.addConfigurations(ConfigurationMessages.message(tenant, provisioned)));
    update.deletedTenants().stream().map(TenantId::value).forEach(message::addDeletedTenants);
    update.nodes().stream().map(NodeMessages::message).forEach(message::addNodes);
    update.deletedNodes().stream()
        .map(node -> Names.of(node.tenant(), node.node()))
        .forEach(message::addDeletedNodes);
    return message.build();
  }
}

package io.headgate.policy.client;

import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.headgate.kit.decision.Outcome;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.Resources;
import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.SupplyReader;
import io.headgate.proto.pool.v1.GetDraftRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.ListNodesRequest;
import io.headgate.proto.pool.v1.ListNodesResponse;
import io.headgate.proto.pool.v1.ListPreparedChangesRequest;
import io.headgate.proto.pool.v1.ListPreparedChangesResponse;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.NodeServiceGrpc;
import io.headgate.proto.pool.v1.PreparedChange;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads the supply from pool-service with the caller's own token, so that pool-service enforces
/// the caller's rights.
public final class GrpcSupplyReader implements SupplyReader {
  private static final Logger LOG = LoggerFactory.getLogger(GrpcSupplyReader.class);
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final String EXPIRED = "TOKEN_EXPIRED";
  private static final int PAGE_SIZE = 1000;

  /// A tenant has at most some thousand nodes; more pages would mean a token that never ends.
  private static final int MAX_PAGES = 100;

  private final ResourceConfigurationServiceGrpc.ResourceConfigurationServiceBlockingStub
      configurations;
  private final NodeServiceGrpc.NodeServiceBlockingStub nodes;

  /// @param pools channel to pool-service
  public GrpcSupplyReader(Channel pools) {
    this.configurations = ResourceConfigurationServiceGrpc.newBlockingStub(pools);
    this.nodes = NodeServiceGrpc.newBlockingStub(pools);
  }

  @Override
  public Supply read(Origin origin, TenantId tenant, View view) {
    Metadata headers = headers(origin);
    String parent = "tenants/" + tenant;
    Resources resources =
        switch (view) {
          case View.Given(var given) -> given;
          case View.Provisioned() -> stored(tenant, ask(() -> provisioned(headers, parent)));
          case View.Draft() -> stored(tenant, ask(() -> draft(headers, parent)));
        };
    List<Node> found =
        resources.pools().isEmpty()
            ? List.of()
            : ask(() -> nodes(headers, parent)).orElse(List.of());
    return resources.supply(found.stream().map(SupplyMapping::machine).toList());
  }

  @Override
  public Optional<Prepared> prepared(Origin origin, TenantId tenant, String change) {
    Metadata headers = headers(origin);
    String parent = "tenants/" + tenant;
    Optional<PreparedChange> found =
        ask(() -> changes(headers, parent)).stream()
            .flatMap(answer -> answer.getChangesList().stream())
            .filter(each -> each.getChangeId().equals(change))
            .findFirst();
    return found.map(each -> {
      View view =
          each.hasConfiguration()
              ? new View.Given(stored(tenant, Optional.of(each.getConfiguration())))
              : View.PROVISIONED;
      return new Prepared(
          read(origin, tenant, view),
          each.getVersion(),
          each.getVersion() != each.getBaseVersion(),
          each.getPreparedBy());
    });
  }

  private ListPreparedChangesResponse changes(Metadata headers, String parent) {
    return configurations
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
        .listPreparedChanges(ListPreparedChangesRequest.newBuilder().setParent(parent).build());
  }

  private static Resources stored(TenantId tenant, Optional<ResourceConfiguration> stored) {
    ResourceConfiguration configuration = stored.orElse(ResourceConfiguration.getDefaultInstance());
    return switch (SupplyMapping.resources(tenant, configuration).read("configuration")) {
      case Outcome.Accepted<Resources, Denial>(var resources) -> resources;
      case Outcome.Denied<Resources, Denial>(var denials) ->
          throw new IllegalStateException(
              "the pool service returned a configuration that its own rules refuse: " + denials);
    };
  }

  private ResourceConfiguration provisioned(Metadata headers, String parent) {
    return configurations
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
        .getResourceConfiguration(
            GetResourceConfigurationRequest.newBuilder().setParent(parent).build());
  }

  private ResourceConfiguration draft(Metadata headers, String parent) {
    return configurations
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
        .getDraft(GetDraftRequest.newBuilder().setParent(parent).build());
  }

  private List<Node> nodes(Metadata headers, String parent) {
    var stub = nodes.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    List<Node> found = new ArrayList<>();
    String token = "";
    for (int page = 0; page < MAX_PAGES; page++) {
      ListNodesResponse answer =
          stub.listNodes(
              ListNodesRequest.newBuilder()
                  .setParent(parent)
                  .setPageSize(PAGE_SIZE)
                  .setPageToken(token)
                  .build());
      found.addAll(answer.getNodesList());
      token = answer.getNextPageToken();
      if (token.isEmpty()) {
        return found;
      }
    }
    throw new IllegalStateException(
        "more than " + MAX_PAGES + " pages of nodes in " + parent + ": the list does not end");
  }

  /// Empty if pool-service knows no such resource, because the tenant has no supply then.
  private static <T> Optional<T> ask(Supplier<T> call) {
    try {
      return Optional.of(call.get());
    } catch (StatusRuntimeException e) {
      Optional<Refusal> refusal = GrpcFailures.refusal(e);
      if (refusal.isPresent() && refusal.get().code() == Status.Code.NOT_FOUND) {
        return Optional.empty();
      }
      if (refusal.isPresent() && refusal.get().reason().equals(EXPIRED)) {
        // The caller's own token was refused, and it was valid when this call began.
        throw refusal.get().exception();
      }
      LOG.warn("the pool service could not be reached: {}", e.toString());
      throw Refusal.unavailable(
              "POOL_SERVICE_UNAVAILABLE",
              "profiles and pools cannot be checked, because the pool service cannot be reached;"
                  + " nothing was changed, try again",
              RETRY)
          .exception();
    }
  }

  private static Metadata headers(Origin origin) {
    Metadata headers = new Metadata();
    String token =
        origin
            .token()
            .orElseThrow(() -> new IllegalStateException("the request has no token to pass on"))
            .reveal();
    headers.put(AUTHORIZATION, "Bearer " + token);
    return headers;
  }
}

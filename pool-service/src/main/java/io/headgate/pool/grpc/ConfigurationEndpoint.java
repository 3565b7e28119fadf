package io.headgate.pool.grpc;

import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.MessageBytes;
import io.headgate.kit.grpc.PageTokens;
import io.headgate.kit.grpc.Pages;
import io.headgate.kit.grpc.Pages.Page;
import io.headgate.kit.watch.WatchHub;
import io.headgate.kit.watch.WatchRequest;
import io.headgate.pool.core.draft.DraftDecisions.Expected;
import io.headgate.pool.core.draft.DraftDecisions.Wanted;
import io.headgate.pool.core.draft.Provisioned;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.runtime.Catalog;
import io.headgate.pool.runtime.Drafts;
import io.headgate.pool.runtime.Drafts.Replaced;
import io.headgate.pool.runtime.JointChanges;
import io.headgate.proto.pool.v1.DiscardDraftRequest;
import io.headgate.proto.pool.v1.DiscardDraftResponse;
import io.headgate.proto.pool.v1.GetDraftRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.ListPreparedChangesRequest;
import io.headgate.proto.pool.v1.ListPreparedChangesResponse;
import io.headgate.proto.pool.v1.ListResourceConfigurationVersionsRequest;
import io.headgate.proto.pool.v1.ListResourceConfigurationVersionsResponse;
import io.headgate.proto.pool.v1.PrepareChangeRequest;
import io.headgate.proto.pool.v1.PreparedChange;
import io.headgate.proto.pool.v1.ProvisionDraftRequest;
import io.headgate.proto.pool.v1.ReplaceDraftRequest;
import io.headgate.proto.pool.v1.ReplaceDraftResponse;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.proto.pool.v1.SettleChangeRequest;
import io.headgate.proto.pool.v1.SettleChangeResponse;
import io.headgate.proto.pool.v1.WatchCatalogRequest;
import io.headgate.proto.pool.v1.WatchCatalogResponse;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Serves whole configurations, and the watch that other services follow.
public final class ConfigurationEndpoint
    extends ResourceConfigurationServiceGrpc.ResourceConfigurationServiceImplBase {
  private static final String ALL_TENANTS = "tenants/-";

  /// Subject of the service that decides changes.
  private static final String DECIDER = "services/policy";

  private final Drafts drafts;
  private final JointChanges changes;
  private final Catalog catalog;
  private final WatchHub watchers;
  private final Pages pages;

  public ConfigurationEndpoint(
      Drafts drafts, JointChanges changes, Catalog catalog, WatchHub watchers, PageTokens tokens) {
    this.drafts = drafts;
    this.changes = changes;
    this.catalog = catalog;
    this.watchers = watchers;
    this.pages = new Pages(tokens);
  }

  @Override
  public void getResourceConfiguration(
      GetResourceConfigurationRequest request, StreamObserver<ResourceConfiguration> out) {
    Answers.send(
        out,
        () -> {
          TenantId tenant = Names.parent(request.getParent());
          Viewers.requireAll("whole configurations");
          return ConfigurationMessages.message(
              tenant, drafts.version(tenant, request.getVersion()));
        });
  }

  @Override
  public void getDraft(GetDraftRequest request, StreamObserver<ResourceConfiguration> out) {
    Answers.send(
        out,
        () -> {
          TenantId tenant = Names.parent(request.getParent());
          Viewers.requireAll("drafts");
          return ConfigurationMessages.editable(tenant, drafts.state(tenant));
        });
  }

  @Override
  public void replaceDraft(ReplaceDraftRequest request, StreamObserver<ReplaceDraftResponse> out) {
    Answers.send(
        out,
        () -> {
          TenantId tenant = Names.parent(request.getParent());
          var spec = ConfigurationMessages.spec(tenant, request.getConfiguration());
          Expected expected =
              new Expected(request.getIfVersion(), request.getConfiguration().getEtag());
          Replaced replaced =
              request.getValidateOnly()
                  ? drafts.check(Answers.caller(), tenant, expected, spec)
                  : drafts.replace(Answers.caller(), tenant, expected, spec);
          return ReplaceDraftResponse.newBuilder()
              .setDraft(ConfigurationMessages.message(tenant, replaced.draft()))
              .addAllWarnings(
                  replaced.warnings().stream().map(ConfigurationMessages::message).toList())
              .build();
        });
  }

  @Override
  public void discardDraft(DiscardDraftRequest request, StreamObserver<DiscardDraftResponse> out) {
    Answers.send(
        out,
        () -> {
          drafts.discard(Answers.caller(), Names.parent(request.getParent()), request.getEtag());
          return DiscardDraftResponse.getDefaultInstance();
        });
  }

  @Override
  public void provisionDraft(
      ProvisionDraftRequest request, StreamObserver<ResourceConfiguration> out) {
    Answers.send(
        out,
        () -> {
          TenantId tenant = Names.parent(request.getParent());
          if (request.getValidateOnly()) {
            return ConfigurationMessages.message(
                tenant, drafts.checkProvision(Answers.caller(), tenant, request.getEtag()));
          }
          byte[] answer =
              drafts.provision(
                  Answers.caller(),
                  tenant,
                  request.getEtag(),
                  Answers.once(
                      ResourceConfigurationServiceGrpc.getProvisionDraftMethod(),
                      request.getRequestId(),
                      request.toBuilder().clearRequestId().build(),
                      provisioned -> ConfigurationMessages.message(tenant, provisioned)));
          return MessageBytes.stored(ResourceConfiguration.parser(), answer);
        });
  }

  @Override
  public void prepareChange(PrepareChangeRequest request, StreamObserver<PreparedChange> out) {
    Answers.send(
        out,
        () -> {
          TenantId tenant = Names.parent(request.getParent());
          Wanted wanted =
              new Wanted(
                  request.getChangeId(),
                  request.getBaseVersion(),
                  request.hasConfiguration()
                      ? Optional.of(ConfigurationMessages.spec(tenant, request.getConfiguration()))
                      : Optional.empty(),
                  Set.copyOf(request.getDiscardDraftsOfList()));
          return whole(tenant, changes.prepare(Answers.caller(), tenant, wanted));
        });
  }

  @Override
  public void listPreparedChanges(
      ListPreparedChangesRequest request, StreamObserver<ListPreparedChangesResponse> out) {
    Answers.send(
        out,
        () -> {
          ListPreparedChangesResponse.Builder answer = ListPreparedChangesResponse.newBuilder();
          if (request.getParent().equals(ALL_TENANTS)) {
            if (!Principals.current().mayEnter("-")) {
              throw Principals.tenantNotFound("-").exception();
            }
            changes
                .list(Optional.empty())
                .forEach((tenant, prepared) ->
                    answer.addChanges(ConfigurationMessages.message(tenant, prepared)));
          } else {
            changes
                .list(Optional.of(Names.parent(request.getParent())))
                .forEach((tenant, prepared) -> answer.addChanges(whole(tenant, prepared)));
          }
          return answer.build();
        });
  }

  private static PreparedChange whole(
      TenantId tenant, io.headgate.pool.core.draft.PreparedChange prepared) {
    PreparedChange.Builder message = ConfigurationMessages.message(tenant, prepared);
    ConfigurationMessages.next(tenant, prepared).ifPresent(message::setConfiguration);
    return message.build();
  }

  @Override
  public void settleChange(SettleChangeRequest request, StreamObserver<SettleChangeResponse> out) {
    Answers.send(
        out,
        () -> {
          TenantId tenant = Names.parent(request.getParent());
          if (!Answers.caller().subject().equals(DECIDER)) {
            throw Refusal.permissionDenied(
                    "NOT_THE_DECIDER",
                    "only policy-service decides changes, not '%s'"
                        .formatted(Answers.caller().subject()))
                .exception();
          }
          changes.settle(
              Answers.caller(),
              tenant,
              request.getChangeId(),
              request.getOutcome() == SettleChangeRequest.Outcome.OUTCOME_COMMITTED
                  ? new JointChanges.Outcome.Committed(request.getAccessVersion())
                  : new JointChanges.Outcome.Abandoned());
          return SettleChangeResponse.getDefaultInstance();
        });
  }

  @Override
  public void listResourceConfigurationVersions(
      ListResourceConfigurationVersionsRequest request,
      StreamObserver<ListResourceConfigurationVersionsResponse> out) {
    Answers.send(
        out,
        () -> {
          TenantId tenant = Names.parent(request.getParent());
          Page<Provisioned> page =
              pages.read(
                  new Pages.Request(
                      List.of("ListResourceConfigurationVersions", tenant.value()),
                      request.getPageSize(),
                      request.getPageToken()),
                  (after, limit) ->
                      drafts.versions(
                          tenant, after.map(Long::parseLong).orElse(Long.MAX_VALUE), limit),
                  version -> Long.toString(version.version()));
          return ListResourceConfigurationVersionsResponse.newBuilder()
              .addAllVersions(
                  page.items().stream()
                      .map(version -> ConfigurationMessages.message(tenant, version))
                      .toList())
              .setNextPageToken(page.nextToken())
              .build();
        });
  }

  @Override
  public void watchCatalog(WatchCatalogRequest request, StreamObserver<WatchCatalogResponse> out) {
    watchers.open(
        out,
        new WatchRequest(request.getVersion(), request.getOneStep()),
        new CatalogSource(catalog, request.getIncarnation()));
  }
}

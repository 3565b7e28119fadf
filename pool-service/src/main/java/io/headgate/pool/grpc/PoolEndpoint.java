package io.headgate.pool.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.grpc.FieldMasks;
import io.headgate.kit.grpc.MessageBytes;
import io.headgate.kit.grpc.MessageRules;
import io.headgate.kit.grpc.PageTokens;
import io.headgate.kit.grpc.Pages;
import io.headgate.kit.grpc.Pages.Page;
import io.headgate.pool.core.Denial;
import io.headgate.pool.core.configuration.ConfigurationSpec.PoolSpec;
import io.headgate.pool.core.name.Kind;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.grpc.Names.Named;
import io.headgate.pool.runtime.Drafts;
import io.headgate.proto.pool.v1.CreatePoolRequest;
import io.headgate.proto.pool.v1.DeletePoolRequest;
import io.headgate.proto.pool.v1.GetPoolRequest;
import io.headgate.proto.pool.v1.ListPoolsRequest;
import io.headgate.proto.pool.v1.ListPoolsResponse;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.PoolServiceGrpc;
import io.headgate.proto.pool.v1.UpdatePoolRequest;
import java.util.List;
import java.util.Set;

/// Serves single pools, in the draft or as provisioned.
public final class PoolEndpoint extends PoolServiceGrpc.PoolServiceImplBase {
  private static final MessageRules RULES = new MessageRules(List.of(Pool.getDescriptor()));
  private static final List<String> WRITABLE = FieldMasks.allBut("name", Pool.getDescriptor());

  private final Drafts drafts;
  private final Pages pages;

  public PoolEndpoint(Drafts drafts, PageTokens tokens) {
    this.drafts = drafts;
    this.pages = new Pages(tokens);
  }

  @Override
  public void listPools(ListPoolsRequest request, StreamObserver<ListPoolsResponse> out) {
    Answers.send(out, () -> list(request));
  }

  private ListPoolsResponse list(ListPoolsRequest request) {
    TenantId tenant = Names.parent(request.getParent());
    Viewers.requireAll(request.getView());
    Page<io.headgate.pool.core.configuration.Pool> page =
        pages.cut(
            new Pages.Request(
                List.of(
                    "ListPools", tenant.value(), Views.isDraft(request.getView()) ? "draft" : ""),
                request.getPageSize(),
                request.getPageToken()),
            Views.of(drafts.state(tenant), request.getView()).pools(),
            pool -> pool.id().value());
    return ListPoolsResponse.newBuilder()
        .addAllPools(
            page.items().stream()
                .map(pool -> Viewers.seen(PoolMessages.message(tenant, pool)))
                .toList())
        .setNextPageToken(page.nextToken())
        .build();
  }

  @Override
  public void getPool(GetPoolRequest request, StreamObserver<Pool> out) {
    Answers.send(
        out,
        () -> {
          Named<PoolId> name = Names.pool("name", request.getName());
          Viewers.requireAll(request.getView());
          return Views.of(drafts.state(name.tenant()), request.getView())
              .pool(name.id())
              .map(pool -> Viewers.seen(PoolMessages.message(name.tenant(), pool)))
              .orElseThrow(() -> notFound(name.id()));
        });
  }

  @Override
  public void createPool(CreatePoolRequest request, StreamObserver<Pool> out) {
    Answers.send(
        out,
        () -> {
          TenantId tenant = Names.parent(request.getParent());
          byte[] answer =
              drafts.createPool(
                  Answers.caller(),
                  tenant,
                  PoolMessages.spec(request.getPoolId(), request.getPool()),
                  Answers.once(
                      PoolServiceGrpc.getCreatePoolMethod(),
                      request.getRequestId(),
                      request.toBuilder().clearRequestId().build(),
                      pool -> PoolMessages.message(tenant, pool)));
          return MessageBytes.stored(Pool.parser(), answer);
        });
  }

  @Override
  public void updatePool(UpdatePoolRequest request, StreamObserver<Pool> out) {
    Answers.send(
        out,
        () -> {
          Named<PoolId> name = Names.pool("pool.name", request.getPool().getName());
          Set<String> paths =
              FieldMasks.paths(request.getUpdateMask(), request.getPool(), WRITABLE);
          io.headgate.pool.core.configuration.Pool updated =
              drafts.updatePool(
                  Answers.caller(),
                  name.tenant(),
                  name.id(),
                  current -> merge(request, paths, name, current));
          return PoolMessages.message(name.tenant(), updated);
        });
  }

  private static PoolSpec merge(
      UpdatePoolRequest request,
      Set<String> paths,
      Named<PoolId> name,
      io.headgate.pool.core.configuration.Pool current) {
    Pool merged =
        FieldMasks.merge(PoolMessages.message(name.tenant(), current), request.getPool(), paths);
    RULES.require("pool", merged);
    return PoolMessages.spec(name.id().value(), merged);
  }

  @Override
  public void deletePool(DeletePoolRequest request, StreamObserver<Empty> out) {
    Answers.send(
        out,
        () -> {
          Named<PoolId> name = Names.pool("name", request.getName());
          drafts.deletePool(Answers.caller(), name.tenant(), name.id());
          return Empty.getDefaultInstance();
        });
  }

  private static RuntimeException notFound(PoolId id) {
    return Refusals.of(List.of(new Denial.NotFound(Kind.POOL, id.value()))).exception();
  }
}

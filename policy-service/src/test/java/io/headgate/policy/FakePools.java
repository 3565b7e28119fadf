package io.headgate.policy;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.JwksKeySource;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.pool.v1.Device;
import io.headgate.proto.pool.v1.GetDraftRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.ListNodesRequest;
import io.headgate.proto.pool.v1.ListNodesResponse;
import io.headgate.proto.pool.v1.ListPreparedChangesRequest;
import io.headgate.proto.pool.v1.ListPreparedChangesResponse;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.NodeServiceGrpc;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.PreparedChange;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.proto.pool.v1.SettleChangeRequest;
import io.headgate.proto.pool.v1.SettleChangeResponse;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/// The far end of the wire. Serves the part of pool.v1 that rights read, with data of the test,
/// behind the same access check as the real service.
final class FakePools implements AutoCloseable {
  private final Map<String, ResourceConfiguration> provisioned = new ConcurrentHashMap<>();
  private final Map<String, ResourceConfiguration> drafts = new ConcurrentHashMap<>();
  private final Map<String, List<Node>> nodes = new ConcurrentHashMap<>();
  private final List<String> callers = new CopyOnWriteArrayList<>();
  private final Map<String, PreparedChange> prepared = new ConcurrentHashMap<>();
  private final Map<String, SettleChangeRequest> settled = new ConcurrentHashMap<>();
  private final Set<String> unsettling = ConcurrentHashMap.newKeySet();
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicInteger unheard = new AtomicInteger();
  private final AtomicReference<Runnable> beforeNextList = new AtomicReference<>(() -> {});
  private final ApiServer server;

  /// @param jwks the verification keys of the issuer
  FakePools(Supplier<String> jwks, TimeSource time) {
    TokenVerifier verifier =
        new TokenVerifier(TokenRules.DEFAULTS, new JwksKeySource(jwks, time), time);
    this.server =
        ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), Telemetry.disabled())
            .authentication(verifier)
            .service(new Configurations())
            .service(new Nodes())
            .build();
    server.start();
  }

  URI uri() {
    return server.uri();
  }

  void provision(String tenant, ResourceConfiguration configuration) {
    provisioned.put(tenant, configuration);
  }

  void draft(String tenant, ResourceConfiguration configuration) {
    drafts.put(tenant, configuration);
  }

  void nodes(String tenant, List<Node> list) {
    nodes.put(tenant, list);
  }

  /// Prepares a change as the real service would store it.
  void prepare(PreparedChange change) {
    prepared.put(change.getTenant(), change);
  }

  /// How each change was settled, by its id.
  Map<String, SettleChangeRequest> settled() {
    return settled;
  }

  /// Whether the tenant's changes can be settled; at first they can.
  void settles(String tenant, boolean does) {
    if (does) {
      unsettling.remove(tenant);
    } else {
      unsettling.add(tenant);
    }
  }

  /// The number of times that a decision was told in vain.
  int unheard() {
    return unheard.get();
  }

  /// The number of times that a service has asked for the changes of all tenants.
  int looks() {
    return looks.get();
  }

  /// Does this once, before an admin's next list of prepared changes is read.
  void beforeNextList(Runnable step) {
    beforeNextList.set(step);
  }

  /// Subjects that asked, in order.
  List<String> callers() {
    return callers;
  }

  void reset() {
    provisioned.clear();
    drafts.clear();
    prepared.clear();
    settled.clear();
    unsettling.clear();
    nodes.clear();
    callers.clear();
  }

  @Override
  public void close() {
    server.close();
  }

  static Profile profile(String tenant, String id, String gpus, int workers) {
    return Profile.newBuilder()
        .setName("tenants/" + tenant + "/profiles/" + id)
        .setGpus(gpus)
        .setWorkers(workers)
        .build();
  }

  static Pool pool(String tenant, String id, String capacity) {
    return Pool.newBuilder()
        .setName("tenants/" + tenant + "/pools/" + id)
        .setType(Pool.Type.TYPE_STATIC)
        .setCapacity(capacity)
        .build();
  }

  static Node node(String tenant, String id, String pool, int gpus) {
    Node.Builder node =
        Node.newBuilder().setName("tenants/" + tenant + "/nodes/" + id).setPool(pool);
    for (int i = 0; i < gpus; i++) {
      node.addDevices(Device.newBuilder().setIndex(i).setUuid(id + i).setGpuModel("H100"));
    }
    return node.build();
  }

  private final class Configurations
      extends ResourceConfigurationServiceGrpc.ResourceConfigurationServiceImplBase {
    @Override
    public void getResourceConfiguration(
        GetResourceConfigurationRequest request, StreamObserver<ResourceConfiguration> out) {
      answer(request.getParent(), provisioned, out);
    }

    @Override
    public void getDraft(GetDraftRequest request, StreamObserver<ResourceConfiguration> out) {
      Map<String, ResourceConfiguration> view =
          drafts.containsKey(Principals.requireTenant(request.getParent())) ? drafts : provisioned;
      answer(request.getParent(), view, out);
    }

    @Override
    public void listPreparedChanges(
        ListPreparedChangesRequest request, StreamObserver<ListPreparedChangesResponse> out) {
      ListPreparedChangesResponse.Builder answer = ListPreparedChangesResponse.newBuilder();
      if (request.getParent().equals("tenants/-")) {
        prepared.values().forEach(each -> answer.addChanges(each.toBuilder().clearConfiguration()));
        looks.incrementAndGet();
      } else {
        beforeNextList.getAndSet(() -> {}).run();
        Optional.ofNullable(prepared.get(Principals.requireTenant(request.getParent())))
            .ifPresent(answer::addChanges);
      }
      out.onNext(answer.build());
      out.onCompleted();
    }

    @Override
    public void settleChange(
        SettleChangeRequest request, StreamObserver<SettleChangeResponse> out) {
      String tenant = Principals.requireTenant(request.getParent());
      if (unsettling.contains(tenant)) {
        unheard.incrementAndGet();
        out.onError(Status.UNAVAILABLE.asRuntimeException());
        return;
      }
      PreparedChange change = prepared.get(tenant);
      if (change != null && change.getChangeId().equals(request.getChangeId())) {
        if (request.getOutcome() == SettleChangeRequest.Outcome.OUTCOME_COMMITTED
            && change.hasConfiguration()) {
          provisioned.put(tenant, change.getConfiguration());
        }
        settled.put(request.getChangeId(), request);
        prepared.remove(tenant);
      }
      out.onNext(SettleChangeResponse.getDefaultInstance());
      out.onCompleted();
    }

    private void answer(
        String parent,
        Map<String, ResourceConfiguration> view,
        StreamObserver<ResourceConfiguration> out) {
      String tenant = Principals.requireTenant(parent);
      callers.add(Principals.current().subject());
      out.onNext(
          view.getOrDefault(tenant, ResourceConfiguration.newBuilder().setTenant(tenant).build()));
      out.onCompleted();
    }
  }

  private final class Nodes extends NodeServiceGrpc.NodeServiceImplBase {
    @Override
    public void listNodes(ListNodesRequest request, StreamObserver<ListNodesResponse> out) {
      String tenant = Principals.requireTenant(request.getParent());
      List<Node> all = nodes.getOrDefault(tenant, List.of());
      // One node per page, so that a client that ignores further pages fails.
      int from = request.getPageToken().isEmpty() ? 0 : Integer.parseInt(request.getPageToken());
      ListNodesResponse.Builder page = ListNodesResponse.newBuilder();
      if (from < all.size()) {
        page.addNodes(all.get(from));
      }
      if (from + 1 < all.size()) {
        page.setNextPageToken(Integer.toString(from + 1));
      }
      out.onNext(page.build());
      out.onCompleted();
    }
  }
}

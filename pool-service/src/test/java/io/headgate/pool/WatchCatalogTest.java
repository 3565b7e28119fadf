package io.headgate.pool;

import static io.headgate.pool.Client.configuration;
import static io.headgate.pool.Client.node;
import static io.headgate.pool.Client.pool;
import static io.headgate.pool.Client.profile;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.stub.BlockingClientCall;
import io.headgate.kit.client.Channels;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestChannels;
import io.headgate.pool.CatalogHistory.Picture;
import io.headgate.proto.pool.v1.DeleteNodeRequest;
import io.headgate.proto.pool.v1.DrainNodeRequest;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.UndrainNodeRequest;
import io.headgate.proto.pool.v1.WatchCatalogRequest;
import io.headgate.proto.pool.v1.WatchCatalogResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jooq.DSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WatchCatalogTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("pool");

  @Order(2)
  @RegisterExtension
  static final PoolFixture POOL = PoolFixture.on(POSTGRES);

  @Order(3)
  @RegisterExtension
  static final ApiServerExtension SERVER = new ApiServerExtension(POOL::register);

  private final String tenant = Client.newTenant();
  private final Client admin = new Client(SERVER.channel(SERVER.tokens().admin(tenant)));
  private final Client scheduler = new Client(SERVER.channel(SERVER.tokens().service("scheduler")));

  private final Map<String, Client> agents = new ConcurrentHashMap<>();

  @BeforeAll
  static void writeHistory() {
    CatalogHistory.install(db());
  }

  @BeforeEach
  void provisionPool() {
    apply("7");
  }

  @Test
  void beginsWithEverythingAndGoesOnWithChanges() throws Exception {
    ResourceConfiguration first = apply("8");
    Node known = register("gpu-1", 2);
    var watch = watch(0);
    WatchCatalogResponse snapshot = next(watch);
    assertThat(snapshot.getSnapshot()).isTrue();
    assertThat(snapshot.getConfigurationsList()).contains(first);
    assertThat(snapshot.getNodesList()).contains(known);

    ResourceConfiguration second = apply("9");
    assertThat(change(watch))
        .isEqualTo(
            WatchCatalogResponse.newBuilder()
                .setIncarnation(incarnation())
                .setVersion(snapshot.getVersion() + 1)
                .addConfigurations(second)
                .setLast(true)
                .build());
    Node joined = register("gpu-2", 3);
    assertThat(change(watch).getNodesList()).containsExactly(joined);
    delete("gpu-2");
    WatchCatalogResponse gone = change(watch);
    assertThat(gone.getDeletedNodesList()).containsExactly(joined.getName());
    assertThat(gone.getVersion()).isEqualTo(snapshot.getVersion() + 3);
    watch.cancel("seen enough", null);
  }

  @Test
  void endsAfterOneStepIfItsReaderAsksForNoMore() throws Exception {
    ResourceConfiguration known = apply("8");
    var watch =
        scheduler.watches.watchCatalog(
            position(incarnation(), 0).toBuilder().setOneStep(true).build());
    assertThat(next(watch).getConfigurationsList()).contains(known);
    assertThat(watch.read(60, TimeUnit.SECONDS)).as("what comes after the step").isNull();
  }

  @Test
  void editsOfADraftAreNobodysBusiness() throws Exception {
    apply("8");
    var watch = watch(0);
    long version = next(watch).getVersion();
    admin.replaceDraft(tenant, small("9"));
    WatchCatalogResponse alive = next(watch);
    assertThat(alive)
        .isEqualTo(
            WatchCatalogResponse.newBuilder()
                .setIncarnation(incarnation())
                .setVersion(version)
                .setLast(true)
                .build());
    watch.cancel("seen enough", null);
  }

  @Test
  void resumesAfterTheVersionSeenTellingEachThingOnceAsItIs() throws Exception {
    apply("8");
    register("gpu-1", 3);
    register("gpu-2", 1);
    long seen = version();
    register("gpu-1", 2);
    register("gpu-1", 1);
    delete("gpu-2");
    register("gpu-3", 1);
    delete("gpu-3");
    var watch = watch(seen);
    WatchCatalogResponse delta = next(watch);
    assertThat(delta.getSnapshot()).isFalse();
    assertThat(delta.getVersion()).isEqualTo(seen + 5);
    assertThat(delta.getConfigurationsList()).isEmpty();
    assertThat(delta.getNodesList()).extracting(Node::getDevicesCount).containsExactly(1);
    assertThat(delta.getDeletedNodesList()).containsExactlyInAnyOrder(name("gpu-2"), name("gpu-3"));
    watch.cancel("seen enough", null);
  }

  @Test
  void whoHasSeenTooLittleOrTooMuchGetsEverything() throws Exception {
    register("gpu-1", 3);
    long seen = version();
    for (int i = 0; i <= PoolFixture.CATALOG_LOG; i++) {
      register("gpu-1", 2 + i % 2);
    }
    assertThat(first(seen).getSnapshot()).isTrue();
    assertThat(first(seen + 1).getSnapshot()).isFalse();
    assertThat(first(version() + 1).getSnapshot()).isTrue();
    WatchCatalogResponse upToDate = first(version());
    assertThat(upToDate.getSnapshot()).isFalse();
    assertThat(upToDate.getNodesList()).isEmpty();
    assertThat(db().fetchCount(org.jooq.impl.DSL.table("catalog_changes")))
        .isEqualTo(PoolFixture.CATALOG_LOG);
  }

  @Test
  void whoWatchedAnotherIncarnationGetsEverything() throws Exception {
    register("gpu-1", 1);
    String before = incarnation();
    long seen = version();
    var open = watch(seen);
    assertThat(next(open).getSnapshot()).isFalse();
    db().execute("update catalog set incarnation = gen_random_uuid()");
    // Commits after the backup are lost, and other changes take their versions.
    register("gpu-2", 1);
    assertThat(incarnation()).isNotEqualTo(before);
    WatchCatalogResponse told = change(open);
    assertThat(told.getSnapshot()).isTrue();
    assertThat(told.getIncarnation()).isEqualTo(incarnation());
    open.cancel("seen enough", null);

    WatchCatalogResponse late = first(position(before, seen));
    assertThat(late.getSnapshot()).isTrue();
    assertThat(late.getNodesList()).extracting(Node::getName).contains(name("gpu-1"));
    assertThat(first(position("", version())).getSnapshot()).isTrue();
    assertThat(first(position(incarnation(), version())).getSnapshot()).isFalse();
  }

  @Test
  void whateverIsWrittenEveryWatchersPictureIsWhatWasTrueAtItsVersion() throws Exception {
    int writers = 6;
    int writes = 60;
    long seed = RandomGenerator.getDefault().nextLong();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Void>> work = new ArrayList<>();
      for (int writer = 0; writer < writers; writer++) {
        int number = writer;
        work.add(() ->
            write(RandomGeneratorFactory.getDefault().create(seed + number), number, writes, seed));
      }
      List<Future<Picture>> watching = new ArrayList<>();
      for (int pause : new int[] {0, 3, 20}) {
        watching.add(threads.submit(() -> follow(pause)));
      }
      for (Future<Void> done : threads.invokeAll(work)) {
        done.get();
      }
      // The last change: a watcher that has seen it has seen everything.
      admin.nodes.drainNode(
          DrainNodeRequest.newBuilder().setName(register("the-end", 1).getName()).build());
      for (Future<Picture> picture : watching) {
        assertThat(picture.get(60, TimeUnit.SECONDS).toString())
            .as("seed " + seed)
            .isEqualTo(CatalogHistory.at(db(), version()));
      }
    }
  }

  @Test
  void anotherInstanceSeesCommitsAtOnceAndEndsItsWatchesInOrder() throws Exception {
    BlockingClientCall<?, WatchCatalogResponse> watch;
    ManagedChannel channel;
    try (PoolService other = POOL.open();
        ApiServer server = serve(other)) {
      server.start();
      channel = channel(server);
      watch = new Client(channel).watches.watchCatalog(WatchCatalogRequest.getDefaultInstance());
      long version = next(watch).getVersion();
      Node joined = register("gpu-9", 4);
      WatchCatalogResponse message = change(watch);
      assertThat(message.getVersion()).isEqualTo(version + 1);
      assertThat(message.getNodesList()).containsExactly(joined);
    }
    assertThat(GrpcFailures.refusal(ended(watch)).orElseThrow().reason())
        .isEqualTo("SERVER_STOPPING");
    Channels.close(channel);
  }

  private static ApiServer serve(PoolService service) {
    ApiServer.Builder api =
        ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), Telemetry.disabled())
            .authentication(SERVER.tokens().verifier());
    service.register(api);
    return api.build();
  }

  private static ManagedChannel channel(ApiServer server) {
    Optional<String> token = Optional.of(SERVER.tokens().service("scheduler"));
    return Channels.open(TestChannels.patient(server.uri()), () -> token, Telemetry.disabled());
  }

  /// Writes at random for a tenant of its own and, on nodes, against the other writers.
  private Void write(RandomGenerator random, int number, int writes, long seed) {
    String own = tenant + "-" + number;
    Client writer = new Client(SERVER.channel(SERVER.tokens().admin(own)));
    Client shared = new Client(SERVER.channel(SERVER.tokens().operator()));
    for (int i = 0; i < writes; i++) {
      String node = "n" + random.nextInt(4);
      String name = name(node);
      try {
        switch (random.nextInt(6)) {
          case 0 ->
              writer.apply(
                  own,
                  configuration(
                      List.of(pool(own, "a").setCapacity(i + "").build()),
                      List.of(profile(own, "one", "1", "a").build())));
          case 1 -> shared.nodes.drainNode(DrainNodeRequest.newBuilder().setName(name).build());
          case 2 -> shared.nodes.undrainNode(UndrainNodeRequest.newBuilder().setName(name).build());
          case 3 -> shared.nodes.deleteNode(DeleteNodeRequest.newBuilder().setName(name).build());
          default -> register(node, random.nextInt(5));
        }
      } catch (io.grpc.StatusRuntimeException e) {
        // Another writer deleted the node.
        assertThat(GrpcFailures.refusal(e).orElseThrow().reason())
            .as("seed " + seed)
            .isEqualTo("NODE_NOT_FOUND");
      }
    }
    return null;
  }

  /// Follows the catalog to its end, comparing with the history at every message, and coming back
  /// anew after every `messages` of them; 0: never.
  private Picture follow(int messages) throws Exception {
    Picture picture = new Picture();
    String end = name("the-end") + "=onprem:true:1";
    while (true) {
      var watch = watch(picture.version());
      for (int i = 0; messages == 0 || i < messages; i++) {
        picture.see(next(watch));
        assertThat(picture.toString())
            .as("at version " + picture.version())
            .isEqualTo(CatalogHistory.at(db(), picture.version()));
        if (picture.toString().contains(end)) {
          watch.cancel("seen enough", null);
          return picture;
        }
      }
      watch.cancel("comes back", null);
    }
  }

  private ResourceConfiguration apply(String capacity) {
    return admin.apply(tenant, small(capacity));
  }

  private ResourceConfiguration small(String capacity) {
    return configuration(
        List.of(pool(tenant, "onprem").setCapacity(capacity).build()),
        List.of(profile(tenant, "half", "1/2", "onprem").build()));
  }

  private Node register(String id, int devices) {
    return agents
        .computeIfAbsent(
            id,
            _ ->
                new Client(
                    SERVER.channel(SERVER.tokens().node(tenant, id, Map.of("pool", "onprem")))))
        .nodes
        .registerNode(RegisterNodeRequest.newBuilder().setNode(node(tenant, id, devices)).build());
  }

  private void delete(String id) {
    admin.nodes.deleteNode(DeleteNodeRequest.newBuilder().setName(name(id)).build());
  }

  private String name(String id) {
    return "tenants/" + tenant + "/nodes/" + id;
  }

  private BlockingClientCall<?, WatchCatalogResponse> watch(long version) {
    return scheduler.watches.watchCatalog(position(incarnation(), version));
  }

  private static WatchCatalogRequest position(String incarnation, long version) {
    return WatchCatalogRequest.newBuilder().setIncarnation(incarnation).setVersion(version).build();
  }

  /// The next message that tells of something: on a slow machine a sign of life may come first.
  private static WatchCatalogResponse change(BlockingClientCall<?, WatchCatalogResponse> watch)
      throws Exception {
    WatchCatalogResponse message = next(watch);
    while (!message.getSnapshot()
        && message.getConfigurationsCount() == 0
        && message.getNodesCount() == 0
        && message.getDeletedNodesCount() == 0) {
      message = next(watch);
    }
    return message;
  }

  private WatchCatalogResponse first(long version) throws Exception {
    return first(position(incarnation(), version));
  }

  private WatchCatalogResponse first(WatchCatalogRequest from) throws Exception {
    var watch = scheduler.watches.watchCatalog(from);
    WatchCatalogResponse message = next(watch);
    watch.cancel("seen enough", null);
    return message;
  }

  /// The next step, which is small.
  private static WatchCatalogResponse next(BlockingClientCall<?, WatchCatalogResponse> watch)
      throws Exception {
    WatchCatalogResponse message = watch.read(60, TimeUnit.SECONDS);
    assertThat(message).isNotNull();
    assertThat(message.getLast()).isTrue();
    return message;
  }

  private static Throwable ended(BlockingClientCall<?, WatchCatalogResponse> watch) {
    return org.assertj.core.api.Assertions.catchThrowable(() -> {
      while (watch.read(60, TimeUnit.SECONDS) != null) {
        // Reads to the end.
      }
    });
  }

  private static long version() {
    return db().fetchSingle("select version from catalog").get(0, Long.class);
  }

  private static String incarnation() {
    return db().fetchSingle("select incarnation::text from catalog").get(0, String.class);
  }

  private static DSLContext db() {
    return POSTGRES.database().jooq();
  }
}

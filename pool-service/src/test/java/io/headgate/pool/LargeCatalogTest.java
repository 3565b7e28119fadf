package io.headgate.pool;

import static io.headgate.pool.Client.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.BlockingClientCall;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.watch.WatchParts;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import io.headgate.proto.pool.v1.WatchCatalogRequest;
import io.headgate.proto.pool.v1.WatchCatalogResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A fleet whose snapshot no client would take in one message.
@Order(1) // It takes longest.
class LargeCatalogTest {
  private static final int NODES = 24_000;
  private static final int DEVICES = 8;
  private static final String TENANT = "large";

  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("pool");

  @Order(2)
  @RegisterExtension
  static final PoolFixture POOL = PoolFixture.on(POSTGRES);

  @Order(3)
  @RegisterExtension
  static final ApiServerExtension SERVER = new ApiServerExtension(POOL::register);

  private final Client scheduler = new Client(SERVER.channel(SERVER.tokens().service("scheduler")));

  @BeforeAll
  static void build() {
    new Client(SERVER.channel(SERVER.tokens().admin(TENANT)))
        .apply(
            TENANT,
            Client.configuration(List.of(Client.pool(TENANT, "onprem").build()), List.of()));
    var db = POSTGRES.database().jooq();
    db.execute(
        """
        insert into nodes (tenant_id, node_id, pool_id, joined_pool_id, cpu_millis, memory_bytes,
            simulated, driver, agent_version, hostname, draining, drain_reason, created_at, updated_at)
          select 'large', 'gpu-' || i, 'onprem', 'onprem', 128000, 2199023255552, false,
            'NVIDIA 580.65.06', '1.0.0', 'gpu-' || i || '.example.org', false, '', now(), now()
          from generate_series(1, %d) i
        """
            .formatted(NODES));
    db.execute(
        """
        insert into devices select 'large', 'gpu-' || i, d, gen_random_uuid()::text,
            'NVIDIA H100 80GB HBM3', 85899345920, 'MIG', 'HARDWARE'
          from generate_series(1, %d) i, generate_series(0, %d) d
        """
            .formatted(NODES, DEVICES - 1));
    db.execute("update catalog set version = version + 1");
  }

  @Test
  void aSnapshotOfAnySizeComesInSmallPartsAndGoesOnWithChanges() throws Exception {
    var watch = watch(WatchCatalogRequest.getDefaultInstance());
    List<WatchCatalogResponse> parts = step(watch);
    long bytes = parts.stream().mapToLong(WatchCatalogResponse::getSerializedSize).sum();

    assertThat(bytes).isGreaterThan(16 << 20);
    assertThat(parts).allMatch(part -> part.getSerializedSize() <= WatchParts.BOUND);
    assertThat(parts).allMatch(WatchCatalogResponse::getSnapshot);
    assertThat(parts).extracting(WatchCatalogResponse::getVersion).containsOnly(version(parts));
    List<Node> nodes = WatchParts.join(parts).getNodesList();
    assertThat(nodes.stream().map(Node::getName).distinct()).hasSizeGreaterThanOrEqualTo(NODES);
    assertThat(nodes).hasSizeGreaterThanOrEqualTo(NODES);
    assertThat(nodes).allMatch(node -> node.getDevicesCount() == DEVICES);

    Node joined = register("one-more");
    assertThat(step(watch))
        .singleElement()
        .satisfies(change -> {
          assertThat(change.getSnapshot()).isFalse();
          assertThat(change.getNodesList()).containsExactly(joined);
        });
    watch.cancel("seen enough", null);
  }

  @Test
  void whoIsCutInTheMiddleOfASnapshotGetsAllOfTheNext() throws Exception {
    var cut = watch(WatchCatalogRequest.getDefaultInstance());
    for (int i = 0; i < 5; i++) {
      assertThat(read(cut).getLast()).isFalse();
    }
    cut.cancel("the wire broke", null);
    Node joined = register("joined-meanwhile");
    var watch = watch(WatchCatalogRequest.getDefaultInstance());
    List<WatchCatalogResponse> parts = step(watch);
    watch.cancel("seen enough", null);
    List<Node> nodes = WatchParts.join(parts).getNodesList();
    assertThat(nodes).hasSizeGreaterThan(NODES).contains(joined);

    // A watcher that has it resumes with the changes.
    Node again = register("joined-later");
    var resumed =
        watch(
            WatchCatalogRequest.newBuilder()
                .setIncarnation(parts.getLast().getIncarnation())
                .setVersion(version(parts))
                .build());
    assertThat(step(resumed))
        .singleElement()
        .satisfies(change -> assertThat(change.getNodesList()).containsExactly(again));
    resumed.cancel("seen enough", null);
  }

  private static long version(List<WatchCatalogResponse> step) {
    return step.getLast().getVersion();
  }

  private static Node register(String id) {
    return new Client(SERVER.channel(SERVER.tokens().node(TENANT, id, Map.of("pool", "onprem"))))
        .nodes.registerNode(
            RegisterNodeRequest.newBuilder().setNode(node(TENANT, id, DEVICES)).build());
  }

  private BlockingClientCall<?, WatchCatalogResponse> watch(WatchCatalogRequest from) {
    return scheduler.watches.watchCatalog(from);
  }

  /// The parts of the next step that is no heartbeat.
  private static List<WatchCatalogResponse> step(BlockingClientCall<?, WatchCatalogResponse> watch)
      throws Exception {
    List<WatchCatalogResponse> parts = new ArrayList<>();
    do {
      WatchCatalogResponse part = read(watch);
      if (part.getSnapshot() || part.getNodesCount() > 0) {
        parts.add(part);
      }
    } while (parts.isEmpty() || !parts.getLast().getLast());
    return parts;
  }

  private static WatchCatalogResponse read(BlockingClientCall<?, WatchCatalogResponse> watch)
      throws Exception {
    WatchCatalogResponse part = watch.read(60, TimeUnit.SECONDS);
    assertThat(part).isNotNull();
    return part;
  }
}

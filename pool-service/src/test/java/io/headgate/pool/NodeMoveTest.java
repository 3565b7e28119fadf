package io.headgate.pool;

import static io.headgate.pool.Client.node;
import static io.headgate.pool.Client.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.Elasticity;
import io.headgate.proto.pool.v1.Instance;
import io.headgate.proto.pool.v1.LabelNodeRequest;
import io.headgate.proto.pool.v1.MoveNodeRequest;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Moves of nodes between pools, and their labels.
class NodeMoveTest {
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

  @BeforeEach
  void provisionTwoPoolsAndAnElasticOne() {
    admin.apply(
        tenant,
        Client.configuration(
            List.of(
                Client.pool(tenant, "onprem").build(),
                Client.pool(tenant, "regulated").setMigAuto(true).build(),
                Client.pool(tenant, "cloud")
                    .setType(Pool.Type.TYPE_ELASTIC)
                    .setElasticity(
                        Elasticity.newBuilder()
                            .setProvider("exec")
                            .setInstance(Instance.newBuilder().setGpus(2).setGpuModel("H100"))
                            .setMaxInstances(1))
                    .build()),
            List.of()));
    register("onprem");
  }

  @Test
  void aMovedNodeStaysWhereItIsAtEachReport() {
    assertThat(move("regulated").getPool()).isEqualTo("regulated");

    Node again = register("onprem");
    assertThat(again.getPool()).isEqualTo("regulated");
    assertThat(again.getMigAuto()).as("the setting of its pool now").isTrue();
    assertThat(move("regulated")).as("a second move changes nothing").isEqualTo(move("regulated"));
  }

  @Test
  void aNewJoinTokenOverridesAMove() {
    move("regulated");
    register("regulated");
    assertThat(register("onprem").getPool()).isEqualTo("onprem");
  }

  @Test
  void aMoveGoesToProvisionedPoolsOnly() {
    Refusal refusal = refused(() -> move("regulatd"));
    assertThat(refusal.reason()).isEqualTo("UNKNOWN_POOL");
    assertThat(refusal.message()).contains("did you mean 'regulated'?");
  }

  @Test
  void aMoveThatIsOnlyCheckedMovesNothing() {
    MoveNodeRequest check =
        MoveNodeRequest.newBuilder()
            .setName(name())
            .setPool("regulated")
            .setValidateOnly(true)
            .build();
    assertThat(admin.nodes.moveNode(check).getPool()).isEqualTo("regulated");
    assertThat(register("onprem").getPool()).isEqualTo("onprem");
    assertThat(
            refused(() -> admin.nodes.moveNode(check.toBuilder().setPool("cloud").build()))
                .reason())
        .isEqualTo("POOL_ELASTIC");
  }

  @Test
  void machinesOfAProviderAreNotMoved() {
    assertThat(refused(() -> move("cloud")).reason()).isEqualTo("POOL_ELASTIC");
    register("cloud");
    assertThat(refused(() -> move("onprem")).reason()).isEqualTo("POOL_ELASTIC");
  }

  @Test
  void aNodeOfARemovedPoolIsMovedAndTakesWorkAgain() {
    admin.apply(
        tenant, Client.configuration(List.of(Client.pool(tenant, "regulated").build()), List.of()));
    assertThat(move("regulated").getPool()).isEqualTo("regulated");
  }

  @Test
  void aMoveIsInTheAuditLog() {
    move("regulated");
    assertThat(
            POSTGRES
                .database()
                .jooq()
                .fetch(
                    "select actor from audit_log where action = 'MOVE_NODE' and target = ?", name())
                .getValues("actor", String.class))
        .containsExactly("tenants/" + tenant + "/users/admin");
  }

  @Test
  void onlyAdminsMoveAndLabel() {
    Client member = new Client(SERVER.channel(SERVER.tokens().member(tenant, "ada")));
    assertThat(
            refused(() ->
                    member.nodes.moveNode(
                        MoveNodeRequest.newBuilder().setName(name()).setPool("regulated").build()))
                .reason())
        .isEqualTo("ROLE_DENIED");
    assertThat(
            refused(() ->
                    member.nodes.labelNode(
                        LabelNodeRequest.newBuilder().setName(name()).putLabels("a", "b").build()))
                .reason())
        .isEqualTo("ROLE_DENIED");
  }

  @Test
  void labelsAreSetKeptAndRemoved() {
    label(Map.of("rack", "r7", "example.org/zone", "B"), List.of());
    assertThat(register("onprem").getLabelsMap())
        .containsExactlyInAnyOrderEntriesOf(Map.of("rack", "r7", "example.org/zone", "B"));
    assertThat(label(Map.of("rack", ""), List.of("example.org/zone", "absent")).getLabelsMap())
        .containsExactlyEntriesOf(Map.of("rack", ""));
  }

  @Test
  void aWrongLabelChangesNothing() {
    for (String key : List.of("", "Rack", "-rack", "rack-", "ra ck", "x".repeat(64), "r=a")) {
      Refusal refusal = refused(() -> label(Map.of("good", "1", key, "1"), List.of()));
      assertThat(refusal.reason()).as(key).isEqualTo("MALFORMED_LABEL");
    }
    for (String value : List.of("a b", "-a", "a\n", "x".repeat(64))) {
      assertThat(refused(() -> label(Map.of("good", value), List.of())).reason())
          .isEqualTo("MALFORMED_LABEL");
    }
    assertThat(refused(() -> label(Map.of("a", "1"), List.of("a"))).reason())
        .isEqualTo("CONTRADICTION");
    assertThat(register("onprem").getLabelsMap()).isEmpty();
  }

  @Test
  void aNodeHasAtMost64Labels() {
    for (int i = 0; i < 64; i++) {
      label(Map.of("k" + i, ""), List.of());
    }
    assertThat(refused(() -> label(Map.of("one-more", ""), List.of())).reason())
        .isEqualTo("TOO_MANY");
    assertThat(label(Map.of("one-more", ""), List.of("k0")).getLabelsCount()).isEqualTo(64);
  }

  private Node move(String pool) {
    return admin.nodes.moveNode(MoveNodeRequest.newBuilder().setName(name()).setPool(pool).build());
  }

  private Node label(Map<String, String> set, List<String> removed) {
    return admin.nodes.labelNode(
        LabelNodeRequest.newBuilder()
            .setName(name())
            .putAllLabels(set)
            .addAllRemovedKeys(removed)
            .build());
  }

  private Node register(String tokenPool) {
    return new Client(
            SERVER.channel(SERVER.tokens().node(tenant, "gpu-1", Map.of("pool", tokenPool))))
        .nodes.registerNode(
            RegisterNodeRequest.newBuilder().setNode(node(tenant, "gpu-1", 2)).build());
  }

  private String name() {
    return "tenants/" + tenant + "/nodes/gpu-1";
  }
}

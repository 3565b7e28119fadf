package io.headgate.pool;

import static io.headgate.pool.Client.configuration;
import static io.headgate.pool.Client.node;
import static io.headgate.pool.Client.pool;
import static io.headgate.pool.Client.profile;
import static io.headgate.pool.Client.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.AuditServiceGrpc;
import io.headgate.proto.pool.v1.DeleteNodeRequest;
import io.headgate.proto.pool.v1.DiscardDraftRequest;
import io.headgate.proto.pool.v1.DrainNodeRequest;
import io.headgate.proto.pool.v1.Elasticity;
import io.headgate.proto.pool.v1.Instance;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import io.headgate.proto.pool.v1.UndrainNodeRequest;
import io.headgate.proto.pool.v1.VerifyAuditLogRequest;
import io.headgate.proto.pool.v1.VerifyAuditLogResponse;
import io.headgate.proto.type.v1.AuditFault;
import java.util.List;
import java.util.Map;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AuditLogTest {
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

  @Test
  void holdsWhoChangedWhatUnderWhichCall() {
    admin.apply(
        tenant,
        configuration(
            List.of(pool(tenant, "onprem").setCapacity("8").build()),
            List.of(profile(tenant, "half", "1/2", "onprem").build())));
    admin.replaceDraft(tenant, configuration(List.of(), List.of()));
    admin.configurations.discardDraft(
        DiscardDraftRequest.newBuilder().setParent("tenants/" + tenant).build());
    Client node =
        new Client(SERVER.channel(SERVER.tokens().node(tenant, "gpu-1", Map.of("pool", "onprem"))));
    RegisterNodeRequest report =
        RegisterNodeRequest.newBuilder().setNode(node(tenant, "gpu-1", 8)).build();
    node.nodes.registerNode(report);
    node.nodes.registerNode(report);
    String name = "tenants/" + tenant + "/nodes/gpu-1";
    admin.nodes.drainNode(DrainNodeRequest.newBuilder().setName(name).setReason("fan").build());
    admin.nodes.undrainNode(UndrainNodeRequest.newBuilder().setName(name).build());
    admin.nodes.deleteNode(DeleteNodeRequest.newBuilder().setName(name).build());
    refused(() -> admin.nodes.deleteNode(DeleteNodeRequest.newBuilder().setName(name).build()));

    assertThat(rows())
        .extracting(row -> row.get("action", String.class))
        .containsExactly(
            "EDIT_DRAFT",
            "PROVISION",
            "EDIT_DRAFT",
            "DISCARD_DRAFT",
            "REGISTER_NODE",
            "DRAIN_NODE",
            "UNDRAIN_NODE",
            "DELETE_NODE");
    assertThat(rows())
        .allSatisfy(
            row -> assertThat(row.get("request_id", String.class)).matches("[0-9a-f]{8,32}"));
    Record provisioned = rows().get(1);
    assertThat(provisioned.get("actor", String.class))
        .isEqualTo("tenants/" + tenant + "/users/admin");
    assertThat(provisioned.get("fields", String[].class)).contains("pools[onprem].capacity");
    assertThat(provisioned.get("after", String[].class)).contains("8", "1/2");
    Record registered = rows().get(4);
    assertThat(registered.get("actor", String.class)).isEqualTo(name);
    assertThat(registered.get("target", String.class)).isEqualTo(name);
    assertThat(rows().get(5).get("after", String[].class)).containsExactly("draining fan");
  }

  @Test
  void showsNoCredentials() {
    Pool cloud =
        pool(tenant, "cloud")
            .setType(Pool.Type.TYPE_ELASTIC)
            .setElasticity(
                Elasticity.newBuilder()
                    .setProvider("exec")
                    .putSettings("token", "canary-7c1f")
                    .setInstance(Instance.newBuilder().setGpus(1).setGpuModel("A100"))
                    .setMaxInstances(1))
            .build();
    admin.apply(tenant, configuration(List.of(cloud), List.of()));
    assertThat(db().fetch("select * from audit_log").formatCSV())
        .contains("settings")
        .doesNotContain("canary-7c1f");
  }

  @Test
  void isOnlyEverAppendedTo() {
    admin.apply(tenant, configuration(List.of(pool(tenant, "a").build()), List.of()));
    for (String attack :
        List.of(
            "update audit_log set actor = 'x'", "delete from audit_log", "truncate audit_log")) {
      assertThatThrownBy(() -> db().execute(attack)).hasMessageContaining("only ever appended to");
    }
    assertThat(rows()).hasSize(2);
  }

  @Test
  void aDeletedEntryIsNamed() {
    admin.apply(tenant, configuration(List.of(pool(tenant, "a").build()), List.of()));
    admin.replaceDraft(tenant, configuration(List.of(), List.of()));
    assertThat(verified().getChecked()).isEqualTo(3);
    assertThat(verified().hasFault()).isFalse();
    long second = rows().get(1).get("audit_id", Long.class);
    db().transaction(inside -> {
      inside.dsl().execute("alter table audit_log disable trigger user");
      inside.dsl().execute("delete from audit_log where audit_id = ?", second);
      inside.dsl().execute("alter table audit_log enable trigger user");
    });
    assertThat(verified().getFault().getKind()).isEqualTo(AuditFault.Kind.KIND_MISSING);
    assertThat(verified().getFault().getAuditId()).isEqualTo(second);
  }

  private VerifyAuditLogResponse verified() {
    return AuditServiceGrpc.newBlockingStub(SERVER.channel(SERVER.tokens().admin(tenant)))
        .verifyAuditLog(VerifyAuditLogRequest.newBuilder().setParent("tenants/" + tenant).build());
  }

  private List<Record> rows() {
    return List.copyOf(
        db().fetch("select * from audit_log where tenant_id = ? order by audit_id", tenant));
  }

  private static DSLContext db() {
    return POSTGRES.database().jooq();
  }
}

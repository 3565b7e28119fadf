package io.headgate.pool;

import static io.headgate.pool.Client.node;
import static io.headgate.pool.Client.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import io.headgate.proto.pool.v1.Warning;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Storages that nodes name and pools refer to.
class NodeStorageTest {
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

  private Node register(Node.Builder report, String... storages) {
    String name = report.getName();
    String id = name.substring(name.lastIndexOf('/') + 1);
    return new Client(SERVER.channel(SERVER.tokens().node(tenant, id, Map.of("pool", "onprem"))))
        .nodes.registerNode(
            RegisterNodeRequest.newBuilder()
                .setNode(report.addAllStorages(List.of(storages)))
                .build());
  }

  private List<Warning> draft(Pool.Builder pool) {
    return admin
        .replaceDraft(tenant, Client.configuration(List.of(pool.build()), List.of()))
        .getWarningsList();
  }

  @Test
  void aPlanNamesTheNodesWithoutTheStorageOfTheirPool() {
    draft(Client.pool(tenant, "onprem"));
    var _ = admin.provision(tenant);
    Node with = register(node(tenant, "gpu-1", 1), "shared", "scratch");
    assertThat(with.getStoragesList()).containsExactly("scratch", "shared");
    register(node(tenant, "gpu-2", 1), "scratch");

    assertThat(draft(Client.pool(tenant, "onprem").setStorage("shared")))
        .extracting(Warning::getMessage)
        .contains(
            "1 node of pool 'onprem' gets no work without storage 'shared', for example 'gpu-2':"
                + " name it in agent.storages there");
    assertThat(admin.provision(tenant).getPools(0).getStorage()).isEqualTo("shared");

    Node added = register(node(tenant, "gpu-2", 1), "scratch", "shared");
    assertThat(added.getStoragesList()).containsExactly("scratch", "shared");
    assertThat(draft(Client.pool(tenant, "onprem").setStorage("shared")))
        .extracting(Warning::getReason)
        .doesNotContain("STORAGE_MISSING");
  }

  @Test
  void aStorageHasANameAndNoPath() {
    assertThat(refused(() -> draft(Client.pool(tenant, "onprem").setStorage("/mnt"))).violations())
        .singleElement()
        .satisfies(violation -> assertThat(violation.field()).endsWith("storage"));
    assertThat(refused(() -> register(node(tenant, "gpu-1", 1), "../etc")).violations())
        .singleElement()
        .satisfies(violation -> assertThat(violation.field()).isEqualTo("node.storages[0]"));
    String[] many = IntStream.range(0, 17).mapToObj(i -> "s" + i).toArray(String[]::new);
    assertThat(refused(() -> register(node(tenant, "gpu-1", 1), many)).violations())
        .extracting(violation -> violation.field())
        .contains("node.storages");
  }
}

package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.Quarantine;
import io.headgate.proto.scheduler.v1.NodeUsage;
import io.headgate.proto.scheduler.v1.PoolUsage;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Lists say which nodes get no work, why, and what ends that.
class NodeTrustTest {
  private final TestGate gate = TestGate.open();
  @TempDir Path home;

  @BeforeEach
  void fill() {
    Fixtures.fill(gate);
  }

  @AfterEach
  void close() {
    gate.close();
  }

  private Result run(String... words) {
    return TestCli.at(gate, home).run(words);
  }

  private void add(Node.Builder node) {
    gate.supply.allNodes.add(node.build());
  }

  private static Node.Builder node(String id, String pool) {
    return Node.newBuilder().setName("tenants/acme/nodes/" + id).setPool(pool);
  }

  @Test
  void aNodeInQuarantineIsShownWithItsReasonAndApprovedAsItWasSeen() {
    add(
        node("liar", "onprem-rtx6000")
            .setState(Node.State.STATE_QUARANTINED)
            .setQuarantine(
                Quarantine.newBuilder()
                    .setReason("it reports 8 GPUs; approved are 2")
                    .setDevices(8)
                    .addGpuModels("H100")
                    .setDeviceMemoryBytes(80L << 30)
                    .setCpuMillis(64_000)
                    .setMemoryBytes(512L << 30)
                    .setEtag("seen")));

    assertThat(run("nodes", "liar").out())
        .contains("quarantine", "it reports 8 GPUs; approved are 2; headgate approve liar");
    assertThat(run("approve", "liar").err())
        .contains(
            "the approval of liar (8 x H100 80GiB, 64 CPUs, 512GiB of memory) must be confirmed",
            "--yes");
    Result refused = TestCli.at(gate, home).onTerminal(100).typing("n\n").run("approve", "liar");
    assertThat(refused.err())
        .contains(
            "Believe that liar has 8 x H100 80GiB, 64 CPUs, 512GiB of memory? (y/N)",
            "liar stays in quarantine");
    assertThat(gate.supply.approved).isEmpty();
    assertThat(run("approve", "gpu-03", "liar", "--yes").out())
        .isEqualTo(
            """
            gpu-03 is not in quarantine
            liar is believed: 8 x H100 80GiB, 64 CPUs, 512GiB of memory
            """);
    assertThat(gate.supply.approved).containsExactly("tenants/acme/nodes/liar seen");
  }

  @Test
  void aNodeWithoutTheStorageOfItsPoolIsShownWithWhatToDo() {
    gate.supply.provisioned =
        gate.supply.provisioned.toBuilder()
            .addPools(Pool.newBuilder().setName("tenants/acme/pools/stored").setStorage("shared"))
            .build();
    add(node("bare", "stored").addStorages("scratch"));
    add(node("good", "stored").addStorages("scratch").addStorages("shared"));

    assertThat(run("nodes", "bare").out())
        .contains(
            "no storage",
            "it has no path for storage shared of its pool; name it in agent.storages there");
    assertThat(run("nodes", "good").out()).contains("scratch, shared").doesNotContain("no storage");
    assertThat(run("pools", "stored").out()).containsPattern("storage +shared");
  }

  @Test
  void aNodeThatIsAwayIsShownSoAlthoughItLacksAStorage() {
    gate.supply.provisioned =
        gate.supply.provisioned.toBuilder()
            .addPools(Pool.newBuilder().setName("tenants/acme/pools/stored").setStorage("shared"))
            .build();
    add(node("away", "stored"));
    add(node("drained", "stored").setState(Node.State.STATE_DRAINING));
    gate.usage.nodes.add(usage("away", NodeUsage.Contact.CONTACT_LOST));
    gate.usage.nodes.add(usage("drained", NodeUsage.Contact.CONTACT_CONNECTED));

    assertThat(run("nodes", "away").out()).containsPattern("state +lost, no storage");
    assertThat(run("nodes", "drained").out()).containsPattern("state +draining, no storage");
  }

  private static NodeUsage usage(String node, NodeUsage.Contact contact) {
    return NodeUsage.newBuilder().setNode(node).setContact(contact).build();
  }

  @Test
  void aNodeThatIsSetAsideIsShownWithItsReasonAndEnd() {
    gate.usage.nodes.set(
        0,
        NodeUsage.newBuilder()
            .setNode("gpu-03")
            .setContact(NodeUsage.Contact.CONTACT_CONNECTED)
            .setSetAsideUntil(Timestamp.newBuilder().setSeconds(1_795_000_000))
            .setSetAsideReason("it rejected 3 jobs of 2 users")
            .build());

    assertThat(run("nodes").out()).contains("set aside");
    assertThat(run("nodes", "gpu-03").out())
        .contains("it rejected 3 jobs of 2 users; until ", ", or headgate undrain gpu-03");
  }

  @Test
  void nodesOfARemovedPoolAreShownWhereNodesAndPoolsAre() {
    add(node("left", "gone").setState(Node.State.STATE_ACTIVE));
    gate.usage.pools.add(PoolUsage.newBuilder().setPool("gone").setNodes(1).build());
    gate.usage.pools.add(PoolUsage.newBuilder().setPool("empty").build());

    assertThat(run("nodes", "left").out()).contains("no pool", "its pool gone was removed");
    assertThat(run("pools").out()).contains("gone").doesNotContain("empty");
    assertThat(run("pools", "gone").out()).contains("removed; its nodes get no new work");
  }
}

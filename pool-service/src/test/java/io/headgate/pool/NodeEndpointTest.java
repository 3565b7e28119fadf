package io.headgate.pool;

import static io.headgate.pool.Client.node;
import static io.headgate.pool.Client.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.Refusal.FieldViolation;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.ApproveNodeRequest;
import io.headgate.proto.pool.v1.DeleteNodeRequest;
import io.headgate.proto.pool.v1.Device;
import io.headgate.proto.pool.v1.DrainNodeRequest;
import io.headgate.proto.pool.v1.Elasticity;
import io.headgate.proto.pool.v1.GetNodeRequest;
import io.headgate.proto.pool.v1.Instance;
import io.headgate.proto.pool.v1.ListNodesRequest;
import io.headgate.proto.pool.v1.ListNodesResponse;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.UndrainNodeRequest;
import io.headgate.proto.pool.v1.Warning;
import io.headgate.proto.type.v1.DeviceCondition;
import io.headgate.proto.type.v1.DeviceGeometry;
import io.headgate.proto.type.v1.DeviceHealth;
import io.headgate.proto.type.v1.DeviceRemedy;
import io.headgate.proto.type.v1.IsolationLevel;
import io.headgate.proto.type.v1.SliceProfile;
import io.headgate.proto.type.v1.SliceTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class NodeEndpointTest {
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
  void provisionPools() {
    admin.apply(
        tenant,
        Client.configuration(
            List.of(Client.pool(tenant, "onprem").build(), Client.pool(tenant, "cloud").build()),
            List.of()));
  }

  @Test
  void keepsWhatAMachineReports() {
    Node report =
        node(tenant, "gpu-1", 2)
            .setDevices(
                0,
                Device.newBuilder()
                    .setIndex(1)
                    .setUuid("GPU-b")
                    .setGpuModel("MI300X")
                    .setMemoryBytes(192L << 30)
                    .setGeometry(DeviceGeometry.DEVICE_GEOMETRY_AMD_PARTITION)
                    .setIsolation(IsolationLevel.ISOLATION_LEVEL_HARDWARE))
            .setDevices(
                1,
                Device.newBuilder()
                    .setIndex(0)
                    .setUuid("GPU-a")
                    .setGpuModel("H100")
                    .setGeometry(DeviceGeometry.DEVICE_GEOMETRY_MIG)
                    .setSlices(slices("3g.40gb", 4, 3, 0, 4))
                    .setCondition(
                        DeviceCondition.newBuilder()
                            .setHealth(DeviceHealth.DEVICE_HEALTH_UNHEALTHY)
                            .setCause("it has fallen off the bus (XID 79)")
                            .setRemedy(DeviceRemedy.DEVICE_REMEDY_RESTART_MACHINE)))
            .build();
    Node registered = register("gpu-1", report);
    assertThat(registered.getDevicesList())
        .containsExactly(report.getDevices(1), report.getDevices(0));
    assertThat(registered.getPool()).isEqualTo("onprem");
    assertThat(registered.getState()).isEqualTo(Node.State.STATE_ACTIVE);
    assertThat(registered.getHostname()).isEqualTo("gpu-1.example");
    assertThat(get("gpu-1")).isEqualTo(registered);
    Client member = new Client(SERVER.channel(SERVER.tokens().member(tenant, "ada")));
    assertThat(member.nodes.getNode(GetNodeRequest.newBuilder().setName(name("gpu-1")).build()))
        .isEqualTo(registered);
  }

  @Test
  void aReportWithoutNewsChangesNothing() {
    Node first = register("gpu-1", node(tenant, "gpu-1", 4).build());
    long version = catalogVersion();
    assertThat(register("gpu-1", node(tenant, "gpu-1", 4).build())).isEqualTo(first);
    assertThat(catalogVersion()).isEqualTo(version);
    Node less = register("gpu-1", node(tenant, "gpu-1", 3).build());
    assertThat(catalogVersion()).isEqualTo(version + 1);
    assertThat(less.getCreateTime()).isEqualTo(first.getCreateTime());
    assertThat(less.getUpdateTime()).isNotEqualTo(first.getUpdateTime());
    assertThat(get("gpu-1").getDevicesCount()).isEqualTo(3);
    assertThat(register("gpu-1", node(tenant, "gpu-1", 4).build()).getState())
        .as("what was approved may come back")
        .isEqualTo(Node.State.STATE_ACTIVE);
  }

  @Test
  void aNodeSpeaksOnlyForItself() {
    Client node = asNode("gpu-1", Map.of("pool", "onprem"));
    for (String name :
        List.of(
            name("gpu-2"),
            "tenants/other/nodes/gpu-1",
            "nodes/gpu-1",
            name("gpu-1") + "/",
            "gpu-1")) {
      Refusal refusal =
          refused(() ->
              node.nodes.registerNode(
                  RegisterNodeRequest.newBuilder()
                      .setNode(node(tenant, "gpu-1", 1).setName(name))
                      .build()));
      assertThat(refusal.code()).isEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(refusal.reason()).isEqualTo("FOREIGN_NODE");
      assertThat(refusal.message()).contains(name("gpu-1"));
    }
    assertThat(list(10, "").getNodesList()).isEmpty();
  }

  @Test
  void thePoolComesFromTheTokenAlone() {
    Node lying = node(tenant, "gpu-1", 1).setPool("regulated").build();
    assertThat(register("gpu-1", lying).getPool()).isEqualTo("onprem");
    Refusal refusal =
        refused(() ->
            asNode("gpu-2", Map.of())
                .nodes
                .registerNode(
                    RegisterNodeRequest.newBuilder().setNode(node(tenant, "gpu-2", 1)).build()));
    assertThat(refusal.reason()).isEqualTo("POOL_MISSING_IN_TOKEN");
    Client moved = asNode("gpu-1", Map.of("pool", "cloud"));
    assertThat(
            moved
                .nodes
                .registerNode(RegisterNodeRequest.newBuilder().setNode(lying).build())
                .getPool())
        .isEqualTo("cloud");
  }

  @Test
  void tellsANodeWhatItsPoolWantsOfMig() {
    assertThat(register("gpu-1", node(tenant, "gpu-1", 1).build()).getMigAuto())
        .as("the pool leaves MIG as it is")
        .isFalse();
    ResourceConfiguration wanted =
        Client.configuration(
            List.of(
                Client.pool(tenant, "onprem").setMigAuto(true).build(),
                Client.pool(tenant, "cloud").build()),
            List.of());
    admin.replaceDraft(tenant, wanted);
    assertThat(register("gpu-1", node(tenant, "gpu-1", 1).build()).getMigAuto())
        .as("a draft is nobody's order")
        .isFalse();
    admin.provision(tenant);
    assertThat(register("gpu-1", node(tenant, "gpu-1", 1).build()).getMigAuto()).isTrue();
    Client elsewhere = asNode("gpu-2", Map.of("pool", "cloud"));
    assertThat(
            elsewhere
                .nodes
                .registerNode(
                    RegisterNodeRequest.newBuilder().setNode(node(tenant, "gpu-2", 1)).build())
                .getMigAuto())
        .isFalse();
  }

  @Test
  void refusesAWrongInventoryNamingTheFields() {
    Node.Builder twice = node(tenant, "gpu-1", 2);
    twice.getDevicesBuilder(1).setIndex(0).setUuid(twice.getDevices(0).getUuid());
    Refusal refusal = refused(() -> register("gpu-1", twice.setHostname("a\nb").build()));
    assertThat(refusal.violations())
        .extracting(FieldViolation::field)
        .containsExactly("node.hostname", "node.devices[0].index", "node.devices[0].uuid");
    Node.Builder shapeless = node(tenant, "gpu-1", 1);
    shapeless.getDevicesBuilder(0).clearGeometry();
    assertThat(refused(() -> register("gpu-1", shapeless.build())).violations())
        .extracting(FieldViolation::field)
        .containsExactly("node.devices[0].geometry");
    assertThat(refused(() -> get("gpu-1")).reason()).isEqualTo("NODE_NOT_FOUND");
  }

  @Test
  void refusesSlicesThatNoDeviceCanHave() {
    Node.Builder report = node(tenant, "gpu-1", 1);
    report
        .getDevicesBuilder(0)
        .setGeometry(DeviceGeometry.DEVICE_GEOMETRY_MIG)
        .setSlices(slices("3g", 4, 3, 0, 5));
    Refusal refusal = refused(() -> register("gpu-1", report.build()));
    assertThat(refusal.reason()).isEqualTo("SLICES_IMPOSSIBLE");
    assertThat(refusal.violations())
        .extracting(FieldViolation::field)
        .containsExactly("node.devices[0].slices");
    report.getDevicesBuilder(0).setGeometry(DeviceGeometry.DEVICE_GEOMETRY_CONTINUOUS);
    assertThat(refused(() -> register("gpu-1", report.build())).reason())
        .isEqualTo("SLICES_IMPOSSIBLE");
  }

  private static SliceTable slices(String name, int memory, int compute, Integer... starts) {
    return SliceTable.newBuilder()
        .setMemorySlices(8)
        .setComputeSlices(7)
        .addProfiles(
            SliceProfile.newBuilder()
                .setName(name)
                .setMemorySlices(memory)
                .setComputeSlices(compute)
                .addAllStarts(List.of(starts)))
        .build();
  }

  @Test
  void drainingIsAnOperatorsWordThatRegisteringDoesNotChange() {
    register("gpu-1", node(tenant, "gpu-1", 1).build());
    Node drained = drain("gpu-1", "fan is loud");
    assertThat(drained.getState()).isEqualTo(Node.State.STATE_DRAINING);
    assertThat(drained.getDrainReason()).isEqualTo("fan is loud");
    long version = catalogVersion();
    assertThat(drain("gpu-1", "fan is loud")).isEqualTo(drained);
    assertThat(catalogVersion()).isEqualTo(version);
    assertThat(
            register("gpu-1", node(tenant, "gpu-1", 1).setHostname("new.example").build())
                .getDrainReason())
        .isEqualTo("fan is loud");
    Node back =
        admin.nodes.undrainNode(UndrainNodeRequest.newBuilder().setName(name("gpu-1")).build());
    assertThat(back.getState()).isEqualTo(Node.State.STATE_ACTIVE);
    assertThat(back.getDrainReason()).isEmpty();
    assertThat(refused(() -> drain("absent", "")).reason()).isEqualTo("NODE_NOT_FOUND");
  }

  @Test
  void forgetsADeletedNodeUntilItReportsAgain() {
    register("gpu-1", node(tenant, "gpu-1", 1).build());
    drain("gpu-1", "");
    delete("gpu-1");
    assertThat(refused(() -> get("gpu-1")).reason()).isEqualTo("NODE_NOT_FOUND");
    assertThat(refused(() -> delete("gpu-1")).reason()).isEqualTo("NODE_NOT_FOUND");
    assertThat(register("gpu-1", node(tenant, "gpu-1", 1).build()).getState())
        .isEqualTo(Node.State.STATE_ACTIVE);
  }

  @Test
  void listsInPages() {
    for (String id : List.of("e", "b", "a", "d", "c")) {
      register(id, node(tenant, id, id.charAt(0) - 'a').build());
    }
    List<String> seen = new ArrayList<>();
    String token = "";
    do {
      ListNodesResponse page = list(2, token);
      page.getNodesList()
          .forEach(node -> {
            seen.add(node.getName());
            assertThat(node.getDevicesCount())
                .isEqualTo(node.getName().charAt(node.getName().length() - 1) - 'a');
          });
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertThat(seen).containsExactly(name("a"), name("b"), name("c"), name("d"), name("e"));
  }

  @Test
  void manyFirstReportsAtOnceMakeOneNode() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Node>> reports = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        reports.add(() -> register("gpu-1", node(tenant, "gpu-1", 3).build()));
      }
      List<Node> answers = new ArrayList<>();
      for (Future<Node> answer : threads.invokeAll(reports)) {
        answers.add(answer.get());
      }
      assertThat(answers).containsOnly(get("gpu-1"));
    }
  }

  @Test
  void aNodeThatClaimsTheImpossibleHasNothingUntilItIsApproved() {
    Node first = register("liar", node(tenant, "liar", 256).setCpuMillis(Long.MAX_VALUE).build());
    assertThat(first.getState()).isEqualTo(Node.State.STATE_QUARANTINED);
    assertThat(first.getDevicesList()).isEmpty();
    assertThat(first.getCpuMillis()).isZero();
    assertThat(first.getMemoryBytes()).isZero();
    assertThat(first.getQuarantine().getReason())
        .isEqualTo("it reports 256 GPUs; the most that is believed without approval is 64");
    assertThat(first.getQuarantine().getDevices()).isEqualTo(256);

    Node cpus = register("liar", node(tenant, "liar", 1).setCpuMillis(Long.MAX_VALUE).build());
    assertThat(cpus.getQuarantine().getReason())
        .isEqualTo(
            "it reports 9223372036854775 CPUs; the most that is believed without approval is 4096");
    Node memory = register("liar", node(tenant, "liar", 1).setMemoryBytes(Long.MAX_VALUE).build());
    assertThat(memory.getState()).isEqualTo(Node.State.STATE_QUARANTINED);

    Node honest = register("liar", node(tenant, "liar", 1).build());
    assertThat(honest.getState()).isEqualTo(Node.State.STATE_ACTIVE);
    assertThat(honest.getDevicesCount()).isEqualTo(1);
  }

  @Test
  void aJumpKeepsWhatWasApprovedAndWaitsForAnAdmin() {
    register("gpu-1", node(tenant, "gpu-1", 2).build());
    Node jumped = register("gpu-1", node(tenant, "gpu-1", 8).build());
    assertThat(jumped.getState()).isEqualTo(Node.State.STATE_QUARANTINED);
    assertThat(jumped.getDevicesCount()).as("its jobs keep their devices").isEqualTo(2);
    assertThat(jumped.getQuarantine().getReason()).isEqualTo("it reports 8 GPUs; approved are 2");

    Client node = asNode("gpu-1", Map.of("pool", "onprem"));
    assertThat(refused(() -> approve(node, jumped)).reason())
        .as("no node approves itself")
        .isEqualTo("ROLE_DENIED");
    Client member = new Client(SERVER.channel(SERVER.tokens().member(tenant, "ada")));
    assertThat(refused(() -> approve(member, jumped)).reason()).isEqualTo("ROLE_DENIED");

    register("gpu-1", node(tenant, "gpu-1", 16).build());
    assertThat(refused(() -> approve(admin, jumped)).reason())
        .as("it claims more than the admin saw")
        .isEqualTo("CLAIMS_CHANGED");
    register("gpu-1", node(tenant, "gpu-1", 8).build());
    assertThat(approve(admin, jumped).getState()).isEqualTo(Node.State.STATE_ACTIVE);
    assertThat(register("gpu-1", node(tenant, "gpu-1", 8).build()).getDevicesCount()).isEqualTo(8);
    assertThat(
            POSTGRES
                .database()
                .jooq()
                .fetch(
                    "select actor from audit_log where action = 'APPROVE_NODE' and target = ?",
                    name("gpu-1"))
                .getValues("actor", String.class))
        .containsExactly("tenants/" + tenant + "/users/admin");
  }

  @Test
  void otherModelsMoreMemoryAndRealDevicesAreJumpsToo() {
    register("gpu-1", node(tenant, "gpu-1", 1).build());
    Node.Builder model = node(tenant, "gpu-1", 1);
    model.getDevicesBuilder(0).setGpuModel("B200");
    assertThat(register("gpu-1", model.build()).getQuarantine().getReason())
        .isEqualTo("it reports GPUs of model B200; approved are H100");
    Node.Builder memory = node(tenant, "gpu-1", 1);
    memory.getDevicesBuilder(0).setMemoryBytes(160L << 30);
    assertThat(register("gpu-1", memory.build()).getQuarantine().getReason())
        .isEqualTo("it reports 163840 MiB of GPU memory; approved are 81920");
    memory.getDevicesBuilder(0).setMemoryBytes(81L << 30);
    assertThat(register("gpu-1", memory.build()).getState())
        .as("another driver shows a little more")
        .isEqualTo(Node.State.STATE_ACTIVE);
    assertThat(
            register("gpu-1", node(tenant, "gpu-1", 1).setSimulated(false).build())
                .getQuarantine()
                .getReason())
        .isEqualTo("its GPUs are real now, and were simulated before");
  }

  @Test
  void aNodeOfAnElasticPoolIsBoundedByItsInstance() {
    admin.replaceDraft(
        tenant,
        Client.configuration(
            List.of(
                Client.pool(tenant, "onprem")
                    .setType(Pool.Type.TYPE_ELASTIC)
                    .setElasticity(
                        Elasticity.newBuilder()
                            .setProvider("exec")
                            .setInstance(Instance.newBuilder().setGpus(2).setGpuModel("H100"))
                            .setMaxInstances(1))
                    .build()),
            List.of()));
    admin.provision(tenant);
    assertThat(register("gpu-1", node(tenant, "gpu-1", 2).build()).getState())
        .isEqualTo(Node.State.STATE_ACTIVE);
    assertThat(register("gpu-2", node(tenant, "gpu-2", 4).build()).getQuarantine().getReason())
        .isEqualTo("it reports 4 GPUs; an instance of its pool has 2");
  }

  @Test
  void aNodeThatClaimsMoreThanAMachineOfItsStaticPoolIsBelievedInNothing() {
    provisionStatic(a100(8).setMemoryBytes(1L << 40));
    Node attacker = register("liar", report("liar", 64, "H100"));
    assertThat(attacker.getState()).isEqualTo(Node.State.STATE_QUARANTINED);
    assertThat(attacker.getDevicesList()).isEmpty();
    assertThat(attacker.getQuarantine().getReason())
        .isEqualTo("it reports 64 GPUs; an instance of its pool has 8");
    assertThat(quarantine("model", report("model", 8, "H100")))
        .isEqualTo("it reports GPUs of model H100; an instance of its pool has A100");
    Node.Builder memory = report("memory", 8, "A100").toBuilder().setMemoryBytes(2L << 40);
    assertThat(quarantine("memory", memory.build()))
        .isEqualTo("it reports 2097152 MiB of memory; an instance of its pool has 1048576");
    Node.Builder gpu = report("gpu", 1, "A100").toBuilder();
    gpu.getDevicesBuilder(0).setMemoryBytes(141L << 30);
    assertThat(quarantine("gpu", gpu.build()))
        .isEqualTo("it reports 144384 MiB of GPU memory; an instance of its pool has 81920");

    for (int gpus : List.of(0, 4, 8)) {
      Node honest = register("honest-" + gpus, report("honest-" + gpus, gpus, "A100"));
      assertThat(honest.getState()).as("%d GPUs", gpus).isEqualTo(Node.State.STATE_ACTIVE);
      assertThat(honest.getDevicesCount()).isEqualTo(gpus);
    }
  }

  @Test
  void aStaticPoolThatStatesOnlyGpusBoundsNothingElse() {
    provisionStatic(Instance.newBuilder().setGpus(8));
    Node.Builder large = report("large", 8, "B300").toBuilder();
    large.setCpuMillis(512_000).setMemoryBytes(4L << 40);
    large.getDevicesBuilder(0).setMemoryBytes(288L << 30);
    assertThat(register("large", large.build()).getState()).isEqualTo(Node.State.STATE_ACTIVE);
    assertThat(quarantine("more", report("more", 9, "B300")))
        .isEqualTo("it reports 9 GPUs; an instance of its pool has 8");
    assertThat(quarantine("cpus", large.setName(name("cpus")).setCpuMillis(1L << 40).build()))
        .as("what no pool says has a bound, too")
        .isEqualTo("it reports 1099511627 CPUs; an instance of its pool has 4096");
  }

  @Test
  void aSmallerInstanceKeepsWhatWasApprovedAndALaterJumpIsJudgedByThat() {
    provisionStatic(a100(8));
    register("gpu-1", report("gpu-1", 8, "A100"));
    List<Warning> warnings = provisionStatic(a100(4));
    assertThat(warnings)
        .extracting(Warning::getMessage)
        .contains(
            "1 node of pool 'onprem' is approved with more than its instance, and stays so, for"
                + " example 'gpu-1': it reports 8 GPUs; an instance of its pool has 4");

    Node again = register("gpu-1", report("gpu-1", 8, "A100"));
    assertThat(again.getState()).isEqualTo(Node.State.STATE_ACTIVE);
    assertThat(again.getDevicesCount()).isEqualTo(8);
    assertThat(quarantine("gpu-1", report("gpu-1", 9, "A100")))
        .isEqualTo("it reports 9 GPUs; approved are 8");
    assertThat(quarantine("gpu-2", report("gpu-2", 8, "A100")))
        .isEqualTo("it reports 8 GPUs; an instance of its pool has 4");

    provisionStatic(a100(8));
    assertThat(register("gpu-2", report("gpu-2", 8, "A100")).getState())
        .as("the pool says more now")
        .isEqualTo(Node.State.STATE_ACTIVE);
  }

  @Test
  void aNodeIsBelievedInNothingBeforeItsPoolIsProvisioned() {
    Client early = asNode("early", Map.of("pool", "planned"));
    RegisterNodeRequest report =
        RegisterNodeRequest.newBuilder().setNode(report("early", 64, "A100")).build();
    Node first = early.nodes.registerNode(report);
    assertThat(first.getState()).isEqualTo(Node.State.STATE_QUARANTINED);
    assertThat(first.getDevicesList()).isEmpty();
    assertThat(first.getQuarantine().getReason())
        .isEqualTo("its pool is not provisioned, so nothing bounds its first report");

    Pool planned = Client.pool(tenant, "planned").setInstance(a100(8)).build();
    admin.apply(tenant, Client.configuration(List.of(planned), List.of()));
    assertThat(early.nodes.registerNode(report).getQuarantine().getReason())
        .isEqualTo("it reports 64 GPUs; an instance of its pool has 8");
    Node honest =
        early.nodes.registerNode(report.toBuilder().setNode(report("early", 8, "A100")).build());
    assertThat(honest.getState()).isEqualTo(Node.State.STATE_ACTIVE);
    assertThat(honest.getDevicesCount()).isEqualTo(8);

    admin.apply(
        tenant, Client.configuration(List.of(Client.pool(tenant, "onprem").build()), List.of()));
    assertThat(
            early
                .nodes
                .registerNode(report.toBuilder().setNode(report("early", 7, "A100")).build())
                .getState())
        .as("what was approved stays so when the pool goes")
        .isEqualTo(Node.State.STATE_ACTIVE);
  }

  private static Instance.Builder a100(int gpus) {
    return Instance.newBuilder().setGpus(gpus).setGpuModel("A100").setGpuMemoryBytes(80L << 30);
  }

  /// Puts a static pool with such machines in force.
  ///
  /// @return the warnings before that
  private List<Warning> provisionStatic(Instance.Builder instance) {
    List<Warning> warnings =
        admin
            .replaceDraft(
                tenant,
                Client.configuration(
                    List.of(Client.pool(tenant, "onprem").setInstance(instance).build()),
                    List.of()))
            .getWarningsList();
    assertThat(admin.provision(tenant).getPools(0).getInstance()).isEqualTo(instance.build());
    return warnings;
  }

  private Node report(String id, int gpus, String model) {
    Node.Builder node = node(tenant, id, gpus);
    node.getDevicesBuilderList().forEach(device -> device.setGpuModel(model));
    return node.build();
  }

  private String quarantine(String id, Node report) {
    return register(id, report).getQuarantine().getReason();
  }

  @Test
  void eachOrderToTakeWorkAgainIsNoted() {
    assertThat(register("gpu-1", node(tenant, "gpu-1", 1).build()).hasUndrainTime()).isFalse();
    Node first =
        admin.nodes.undrainNode(UndrainNodeRequest.newBuilder().setName(name("gpu-1")).build());
    Node second =
        admin.nodes.undrainNode(UndrainNodeRequest.newBuilder().setName(name("gpu-1")).build());
    assertThat(second.getUndrainTime()).isNotEqualTo(first.getUndrainTime());
  }

  private Node approve(Client as, Node seen) {
    return as.nodes.approveNode(
        ApproveNodeRequest.newBuilder()
            .setName(seen.getName())
            .setEtag(seen.getQuarantine().getEtag())
            .build());
  }

  private Client asNode(String id, Map<String, String> attributes) {
    return new Client(SERVER.channel(SERVER.tokens().node(tenant, id, attributes)));
  }

  private Node register(String id, Node report) {
    return asNode(id, Map.of("pool", "onprem"))
        .nodes
        .registerNode(RegisterNodeRequest.newBuilder().setNode(report).build());
  }

  private Node drain(String id, String reason) {
    return admin.nodes.drainNode(
        DrainNodeRequest.newBuilder().setName(name(id)).setReason(reason).build());
  }

  private void delete(String id) {
    admin.nodes.deleteNode(DeleteNodeRequest.newBuilder().setName(name(id)).build());
  }

  private Node get(String id) {
    return admin.nodes.getNode(GetNodeRequest.newBuilder().setName(name(id)).build());
  }

  private ListNodesResponse list(int size, String token) {
    return admin.nodes.listNodes(
        ListNodesRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setPageSize(size)
            .setPageToken(token)
            .build());
  }

  private String name(String id) {
    return "tenants/" + tenant + "/nodes/" + id;
  }

  private static long catalogVersion() {
    return POSTGRES.database().jooq().fetchSingle("select version from catalog").get(0, Long.class);
  }
}

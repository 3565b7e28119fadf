package io.headgate.pool.core.configuration;

import static io.headgate.pool.core.configuration.Specs.bounded;
import static io.headgate.pool.core.configuration.Specs.elastic;
import static io.headgate.pool.core.configuration.Specs.elasticity;
import static io.headgate.pool.core.configuration.Specs.instance;
import static io.headgate.pool.core.configuration.Specs.pool;
import static io.headgate.pool.core.configuration.Specs.profile;
import static io.headgate.pool.core.configuration.Specs.read;
import static io.headgate.pool.core.configuration.Specs.spec;
import static io.headgate.pool.core.configuration.Specs.stored;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.pool.core.configuration.ConfigurationSpec.PoolSpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.ProfileSpec;
import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.pool.core.name.StorageId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.core.node.Claims;
import io.headgate.pool.core.node.Device;
import io.headgate.pool.core.node.Geometry;
import io.headgate.pool.core.node.Inventory;
import io.headgate.pool.core.node.Isolation;
import io.headgate.pool.core.node.JobFiles;
import io.headgate.pool.core.node.Node;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WarningsTest {
  private static final PoolId A = new PoolId("a");
  private static final ProfileId HALF = new ProfileId("half");

  @Test
  void saysNothingAboutWhatIsFine() {
    assertThat(warnings(pool("a", "H100", "8"), profile("half", "1/2", "a"), node(8, "H100")))
        .isEmpty();
  }

  @Test
  void capacityAboveWhatIsThere() {
    assertThat(warnings(pool("a", "", "16"), profile("half", "1/2", "a"), node(8, "H100")))
        .containsExactly(new ConfigurationWarning.Overcommitted(A, GpuQuantity.ofGpus(16), 8, 0));
  }

  @Test
  void capacityMayCountOnWhatTheProviderAdds() {
    PoolSpec grows = elastic("a", "", elasticity(instance(8, "A100"), 0, 2));
    assertThat(warnings(withCapacity(grows, "16"), profile("half", "1/2", "a")))
        .as("no provider is there yet")
        .containsExactly(new ConfigurationWarning.MissingProvider(A, "exec"));
    assertThat(warnings(withCapacity(grows, "17"), profile("half", "1/2", "a")))
        .contains(new ConfigurationWarning.Overcommitted(A, GpuQuantity.ofGpus(17), 0, 16));
  }

  @Test
  void poolWithoutDevices() {
    assertThat(warnings(pool("a", "", "16"), profile("half", "1/2", "a")))
        .containsExactly(new ConfigurationWarning.NoDevices(A, 0));
    assertThat(warnings(pool("a", "H100", ""), profile("cpu", "0", "a"), node(4, "A100")))
        .containsExactly(new ConfigurationWarning.NoDevices(A, 1));
  }

  @Test
  void devicesOfAnotherModel() {
    assertThat(
            warnings(
                pool("a", "H100", ""),
                profile("half", "1/2", "a"),
                node(4, "A100"),
                node(2, "H100")))
        .containsExactly(new ConfigurationWarning.ForeignDevices(A, "H100", 4, 6));
  }

  @Test
  void poolThatNoProfileUsesAndOrderThatMeansNothing() {
    Configuration next =
        read(
            spec(
                List.of(pool("a", "", "", "half"), pool("b")),
                List.of(profile("half", "1/2", "b"))));
    assertThat(
            Warnings.about(
                Configuration.EMPTY,
                next,
                List.of(node(1, "H100"), in(new PoolId("b"), node(1, "H100")))))
        .containsExactly(
            new ConfigurationWarning.UnusedPool(A),
            new ConfigurationWarning.OrderWithoutLink(A, 0, HALF));
  }

  @Test
  void profileLargerThanAnyMachine() {
    assertThat(warnings(pool("a"), profile("half", "4", "a"), node(2, "H100")))
        .containsExactly(new ConfigurationWarning.NeverFits(HALF, "gpus", "GPUs", "4", "2"));
    ProfileSpec isolated =
        new ProfileSpec(
            "half",
            "1/2",
            1,
            0,
            1L << 50,
            90L << 30,
            Isolation.DRIVER_CONTAINER,
            List.of(),
            false,
            List.of("a"),
            Optional.<Duration>empty(),
            Optional.<Duration>empty(),
            Reclaim.STRICT,
            "");
    assertThat(warnings(pool("a"), isolated, node(2, "H100")))
        .extracting(warning -> ((ConfigurationWarning.NeverFits) warning).field())
        .containsExactly("gpu_memory_bytes", "memory_bytes", "isolation");
  }

  @Test
  void whatMayStillJoinMayStillFit() {
    Configuration next =
        read(
            spec(
                List.of(pool("a"), elastic("b", "", elasticity(instance(8, "A100"), 0, 1))),
                List.of(profile("half", "8", "a", "b"))));
    assertThat(Warnings.about(Configuration.EMPTY, next, List.of(node(2, "H100"))))
        .noneMatch(ConfigurationWarning.NeverFits.class::isInstance);
  }

  @Test
  void nodesBeyondTheInstanceOfTheirPoolStayApproved() {
    ProfileSpec half = profile("half", "1/2", "a");
    assertThat(warnings(bounded("a", "", instance(8, "A100")), half, node(8, "A100"))).isEmpty();
    assertThat(warnings(bounded("a", "", gpusOnly(8)), half, node(8, "A100"), node(2, "H100")))
        .as("only the number of GPUs is bounded")
        .isEmpty();
    assertThat(
            warnings(bounded("a", "", instance(4, "A100")), half, node(8, "A100"), node(4, "A100")))
        .containsExactly(
            new ConfigurationWarning.BeyondInstance(
                A, 1, new NodeId("n8"), "it reports 8 GPUs; an instance of its pool has 4"));
    assertThat(warnings(bounded("a", "H100", gpusOnly(8)), half, node(4, "A100"), node(4, "H100")))
        .contains(
            new ConfigurationWarning.BeyondInstance(
                A,
                1,
                new NodeId("n4"),
                "it reports GPUs of model A100; an instance of its pool has H100"));
  }

  @Test
  void theInstanceOfAStaticPoolIsNoMachine() {
    ProfileSpec eight = profile("half", "8", "a");
    assertThat(warnings(bounded("a", "", instance(8, "H100")), eight, node(2, "H100")))
        .as("a job of 8 GPUs waits for a machine that has them")
        .containsExactly(new ConfigurationWarning.NeverFits(HALF, "gpus", "GPUs", "8", "2"));
    assertThat(warnings(withCapacity(bounded("a", "", instance(8, "H100")), "8"), eight))
        .containsExactly(new ConfigurationWarning.NoDevices(A, 0));
  }

  @Test
  void nodesWithoutTheStorageOfTheirPoolGetNoWork() {
    ProfileSpec half = profile("half", "1/2", "a");
    Node with = node(8, "A100", List.of("scratch", "shared"));
    assertThat(warnings(stored("a", "shared"), half, with)).isEmpty();
    assertThat(warnings(stored("a", "shared"), half, with, node(4, "A100", List.of("scratch"))))
        .containsExactly(
            new ConfigurationWarning.StorageMissing(
                A, new StorageId("shared"), 1, new NodeId("n4")));
  }

  @Test
  void poolThatGoesWhileNodesAreInIt() {
    Configuration before = read(spec(List.of(pool("a")), List.of(profile("half", "1/2", "a"))));
    assertThat(Warnings.about(before, Configuration.EMPTY, List.of(node(1, "H100"))))
        .containsExactly(new ConfigurationWarning.RemovedWithNodes(A, 1));
  }

  private static List<ConfigurationWarning> warnings(
      PoolSpec pool, ProfileSpec profile, Node... nodes) {
    return Warnings.about(
        Configuration.EMPTY, read(spec(List.of(pool), List.of(profile))), List.of(nodes));
  }

  private static Instance gpusOnly(int gpus) {
    return new Instance(gpus, Optional.empty(), 0, 0, 0);
  }

  private static PoolSpec withCapacity(PoolSpec pool, String capacity) {
    return new PoolSpec(
        pool.id(),
        pool.elastic(),
        pool.gpuModel(),
        capacity,
        pool.migAuto(),
        pool.order(),
        pool.dedicatedTo(),
        "",
        "",
        pool.storage(),
        pool.elasticity(),
        pool.instance(),
        PoolRules.DEFAULT,
        "");
  }

  private static Node node(int devices, String model) {
    return node(devices, model, List.of());
  }

  private static Node node(int devices, String model, List<String> storages) {
    List<Device> found =
        IntStream.range(0, devices)
            .mapToObj(i ->
                new Device(
                    i,
                    "u" + i,
                    model,
                    80L << 30,
                    Geometry.CONTINUOUS,
                    Isolation.REACTIVE,
                    Optional.empty(),
                    Optional.empty()))
            .toList();
    Inventory inventory =
        new Inventory(
            found,
            64_000,
            1L << 40,
            true,
            storages,
            JobFiles.UNKNOWN,
            new Inventory.Software("simulated", "1", "host"));
    return new Node(
        new TenantId("acme"),
        new NodeId("n" + devices),
        new Node.Membership(A, A),
        new TreeMap<>(),
        inventory,
        Node.Drain.NONE,
        new Node.Trust(Claims.of(inventory), Optional.empty()),
        Optional.empty(),
        Instant.EPOCH,
        Instant.EPOCH);
  }

  private static Node in(PoolId pool, Node node) {
    return new Node(
        node.tenant(),
        node.id(),
        new Node.Membership(pool, pool),
        node.labels(),
        node.inventory(),
        node.drain(),
        node.trust(),
        node.undrainedAt(),
        node.createdAt(),
        node.updatedAt());
  }
}

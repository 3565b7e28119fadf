package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.ACME;
import static io.headgate.scheduler.core.TenantBuilder.poolId;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.explain.Dimension;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Rule A6 and A7, and where a job goes among the places where it fits.
class FitTest {
  private static TenantBuilder tenant(String gpus) {
    return new TenantBuilder()
        .pool("pool")
        .profile("p", gpus, "pool")
        .policy("team", "100", "100")
        .queue("q", "team", "p", 1);
  }

  private static GpuQuantity gpus(String text) {
    return GpuQuantity.parse(text);
  }

  private static Profile with(Profile p, OptionalLong gpuMemory, Isolation isolation) {
    return p.with().gpuMemoryBytes(gpuMemory).isolation(isolation).build();
  }

  private static String[] names(int count) {
    String[] names = new String[count];
    for (int i = 0; i < count; i++) {
      names[i] = "j" + i;
    }
    return names;
  }

  @Test
  void fillsADeviceWithSeventhsExactly() {
    Driver it = new Driver(tenant("1/7")).join(Driver.node("n", "pool", 1));
    it.submit("q", names(8));
    assertThat(it.in(JobState.ASSIGNED)).hasSize(7);
    assertThat(it.usage(poolId("pool")).idle()).isEqualTo(gpus("0"));
    assertThat(it.reason("j7"))
        .isEqualTo(new Reason.Capacity(poolId("pool"), gpus("1/7"), gpus("0")));
  }

  @Test
  void keepsDevicesWholeForWholeJobs() {
    Driver it =
        new Driver(tenant("1/2").profile("whole", "1", "pool").queue("w", "team", "whole", 1))
            .join(Driver.node("n", "pool", 2));
    it.submit("q", "a").submit("w", "b").submit("q", "c");
    assertThat(it.place("a")).isEqualTo("n:0(1/2)");
    assertThat(it.place("b")).isEqualTo("n:1");
    assertThat(it.place("c")).isEqualTo("n:0(1/2)");
  }

  @Test
  void saysWhenEnoughIsIdleButNotTogether() {
    Driver it =
        new Driver(tenant("1/2").profile("whole", "1", "pool").queue("w", "team", "whole", 1))
            .join(Driver.node("n", "pool", 2));
    it.submit("q", "a", "b", "c", "d").run().exit("a", 0).exit("c", 0).submit("w", "x");
    assertThat(it.reason("x"))
        .isEqualTo(
            new Reason.Fragmentation(poolId("pool"), gpus("1"), gpus("1"), Dimension.DEVICE));
  }

  @Test
  void goesWhereTheLeastIsLeft() {
    Driver it =
        new Driver(tenant("2"))
            .join(
                Driver.node("a", "pool", 8),
                Driver.node("b", "pool", 4),
                Driver.node("c", "pool", 2));
    it.submit("q", "x", "y", "z");
    assertThat(List.of(it.place("x"), it.place("y"), it.place("z")))
        .containsExactly("c:0,1", "b:0,1", "b:2,3");
  }

  @Test
  void countsCpu() {
    Driver it =
        new Driver(tenant("1").profile("p", "1", 1, 3000, "pool"))
            .join(Driver.node("n", "pool", 8, 8000, NodeStatus.READY));
    it.submit("q", "a", "b", "c");
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("a", "b");
    assertThat(it.reason("c"))
        .isEqualTo(new Reason.Fragmentation(poolId("pool"), gpus("1"), gpus("6"), Dimension.CPU));
  }

  @Test
  void keepsJobsWithoutGpuAwayFromIdleGpus() {
    Driver it =
        new Driver(
                new TenantBuilder()
                    .pool("pool")
                    .profile("cpu", "0", 1, 1000, "pool")
                    .policy("team", "0", "0")
                    .queue("q", "team", "cpu", 1))
            .join(
                Driver.node("gpu", "pool", 8, 8000, NodeStatus.READY),
                Driver.node("plain", "pool", 0, 2000, NodeStatus.READY));
    it.submit("q", "a", "b", "c");
    assertThat(List.of(it.place("a"), it.place("b"), it.place("c")))
        .containsExactly("plain:", "plain:", "gpu:");
  }

  @Test
  void givesPartsTheDeviceMemoryThatTheyAskFor() {
    TenantBuilder tenant =
        tenant("1/4")
            .changeProfile("p", p -> with(p, OptionalLong.of(30 * Driver.GIB), Isolation.NONE));
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 1));
    it.submit("q", "a", "b", "c");
    assertThat(it.in(JobState.ASSIGNED)).containsExactly("a", "b");
    assertThat(it.reason("c"))
        .isEqualTo(
            new Reason.Fragmentation(
                poolId("pool"), gpus("1/4"), gpus("1/2"), Dimension.GPU_MEMORY));
  }

  @Test
  void placesNoPartBelowItsIsolation() {
    TenantBuilder tenant =
        tenant("1/2").changeProfile("p", p -> with(p, OptionalLong.empty(), Isolation.HARDWARE));
    Driver it = new Driver(tenant).join(Driver.node("n", "pool", 1)).submit("q", "a");
    assertThat(it.denial())
        .hasToString(
            "NoNodeFits[profile=acme/p, pool=acme/pool, dimension=ISOLATION, asked=4, most=3]");
  }

  @Test
  void usesOnlyDevicesOfThePoolsModel() {
    Node mixed =
        new Node(
            new NodeId(ACME, "n"),
            poolId("pool"),
            List.of(device(0, "A100"), device(1, "H100"), device(3, "H100")),
            1000,
            1,
            NodeStatus.READY);
    Driver it = new Driver(tenant("1").poolModel("pool", "H100")).join(mixed);
    it.submit("q", "a", "b", "c");
    assertThat(it.place("a")).isEqualTo("n:1");
    assertThat(it.place("b")).isEqualTo("n:3");
    assertThat(it.state("c")).isEqualTo(JobState.WAITING);
    it.provision(tenant("1"));
    assertThat(it.place("c")).isEqualTo("n:0");
  }

  @Test
  void placesAProfileOnDevicesOfItsModelsOnly() {
    TenantBuilder tenant =
        tenant("1").changeProfile("p", p -> p.with().gpuModels(Set.of("H100", "H200")).build());
    Driver it =
        new Driver(tenant)
            .join(mixed("m", "A100", "H100"), mixed("n", "H200", "A100"))
            .submit("q", "a", "b", "c");
    assertThat(List.of(it.place("a"), it.place("b"))).containsExactlyInAnyOrder("m:1", "n:0");
    assertThat(it.reason("c"))
        .isEqualTo(
            new Reason.Fragmentation(poolId("pool"), gpus("1"), gpus("2"), Dimension.GPU_MODEL));
  }

  @Test
  void saysThatNoNodeHasEnoughDevicesOfTheModels() {
    TenantBuilder tenant =
        tenant("2").changeProfile("p", p -> p.with().gpuModels(Set.of("H100")).build());
    Driver it = new Driver(tenant).join(mixed("n", "A100", "A100", "H100")).submit("q", "a");
    assertThat(it.denial())
        .hasToString(
            "NoNodeFits[profile=acme/p, pool=acme/pool, dimension=GPU_MODEL, asked=252000,"
                + " most=126000]");
  }

  @Test
  void needsNoModelForAJobWithoutGpu() {
    TenantBuilder tenant =
        tenant("0").changeProfile("p", p -> p.with().gpuModels(Set.of("H100")).build());
    Driver it = new Driver(tenant).join(mixed("n", "A100")).submit("q", "a");
    assertThat(it.place("a")).isEqualTo("n:");
  }

  @Test
  void placesAProfileWithImagesOnNodesThatRunSuchOnly() {
    TenantBuilder tenant = tenant("1").changeProfile("p", p -> p.with().images(true).build());
    Node plain = Driver.node("a", "pool", 8).withImages(false);
    Driver it = new Driver(tenant).join(plain, Driver.node("b", "pool", 1)).submit("q", "a", "c");
    assertThat(it.place("a")).isEqualTo("b:0");
    assertThat(it.reason("c"))
        .isInstanceOfSatisfying(
            Reason.Fragmentation.class,
            reason -> assertThat(reason.dimension()).isEqualTo(Dimension.IMAGES));
    it.join(Driver.node("b", "pool", 1).withImages(false));
    assertThat(it.state("a")).as("it is there already").isEqualTo(JobState.ASSIGNED);
    assertThat(it.submit("q", "d").denial())
        .hasToString(
            "NoNodeFits[profile=acme/p, pool=acme/pool, dimension=IMAGES, asked=1, most=0]");
    it.join(plain.withImages(true));
    assertThat(it.place("c")).isEqualTo("a:0");
  }

  private static Node mixed(String name, String... models) {
    List<Device> devices = new ArrayList<>();
    for (String model : models) {
      devices.add(device(devices.size(), model));
    }
    return new Node(new NodeId(ACME, name), poolId("pool"), devices, 1000, 1, NodeStatus.READY);
  }

  private static Device device(int index, String model) {
    return new Device(
        index, "u" + index, model, 80 * Driver.GIB, new Geometry.Continuous(), Isolation.NONE);
  }

  @Test
  void startsNothingOnNodesThatDrainOrAreSuspect() {
    for (NodeStatus status : List.of(NodeStatus.DRAINING, NodeStatus.SUSPECT)) {
      Driver it = new Driver(tenant("1")).join(Driver.node("n", "pool", 1)).submit("q", "a").run();
      it.join(Driver.node("n", "pool", 1, 1000, status));
      assertThat(it.state("a")).isEqualTo(JobState.RUNNING);
      it.submit("q", "b").exit("a", 0);
      assertThat(it.state("b")).isEqualTo(JobState.WAITING);
      it.join(Driver.node("n", "pool", 1));
      assertThat(it.state("b")).isEqualTo(JobState.ASSIGNED);
    }
  }

  @Test
  void forgetsARemovedNodeWhenItsLastAttemptHasEnded() {
    Driver it = new Driver(tenant("1")).join(Driver.node("n", "pool", 2)).submit("q", "a").run();
    NodeId node = new NodeId(ACME, "n");
    it.decide(new Input.NodeRemoved(node)).submit("q", "b");
    assertThat(it.state("b")).isEqualTo(JobState.WAITING);
    assertThat(it.usage(node)).isPresent();
    it.exit("a", 0);
    assertThat(it.usage(node)).isEmpty();
    assertThat(it.usage(poolId("pool")).nodes()).isZero();
  }

  @Test
  void neverUsesMoreOfAPoolThanItsCeiling() {
    Driver it = new Driver(tenant("1").poolCapacity("pool", "2")).join(Driver.node("n", "pool", 8));
    it.submit("q", "a", "b", "c");
    assertThat(it.in(JobState.ASSIGNED)).hasSize(2);
    assertThat(it.reason("c"))
        .isEqualTo(new Reason.PoolCapacity(poolId("pool"), gpus("2"), gpus("1"), gpus("2")));
    assertThat(it.usage(poolId("pool")).capacity()).isEqualTo(gpus("2"));
    assertThat(it.usage(poolId("pool")).idle()).as("six are of no use").isEqualTo(gpus("0"));
  }

  @Test
  void ignoresLateAndRepeatedReports() {
    Driver it = new Driver(tenant("1")).join(Driver.node("n", "pool", 1)).submit("q", "a").run();
    Input exit = new Input.WorkerExited(it.attemptId("a"), 0, 0);
    it.decide(exit).requeue("a").forget().decide(exit, exit);
    assertThat(it.effects).isEmpty();
    assertThat(it.attemptId("a").number()).isEqualTo(2);
  }
}

package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.ACME;
import static io.headgate.scheduler.core.TenantBuilder.poolId;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.usage.NodeUsage;
import io.headgate.scheduler.core.usage.PoolUsage;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Devices that are out of service: nothing new comes to them, and the rest of their node works on.
class SickDeviceTest {
  private static TenantBuilder tenant(String size) {
    return new TenantBuilder()
        .pool("pool", "p")
        .profile("p", size, "pool")
        .policy("policy", "8", "8")
        .queue("q", "policy", "p", 1);
  }

  private static GpuQuantity gpus(String text) {
    return GpuQuantity.parse(text);
  }

  private static Node node(int count, Geometry geometry, Integer... sick) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      devices.add(
          new Device(
              i,
              "u" + i,
              "H100",
              80 * Driver.GIB,
              geometry,
              Isolation.HARDWARE,
              !Set.of(sick).contains(i)));
    }
    return new Node(
        new NodeId(ACME, "n"), poolId("pool"), devices, 1000, Driver.GIB, NodeStatus.READY);
  }

  private static Node node(int count, Integer... sick) {
    return node(count, new Geometry.Continuous(), sick);
  }

  private static PoolUsage pool(Driver it) {
    return it.core.pools().getFirst();
  }

  @Test
  void getNothingNewAndKeepWhatRuns() {
    Driver it = new Driver(tenant("1")).join(node(2)).submit("q", "a", "b").run();
    it.join(node(2, 0)).submit("q", "c").pass();
    assertThat(it.in(JobState.RUNNING)).containsExactly("a", "b");
    String onSick = it.place("a").equals("n:0") ? "a" : "b";
    String onSound = onSick.equals("a") ? "b" : "a";
    PoolUsage busy = pool(it);
    assertThat(busy.offered()).isEqualTo(gpus("1"));
    assertThat(busy.capacity()).as("what is used there counts on").isEqualTo(gpus("2"));
    it.exit(onSick, 0);
    assertThat(it.state("c")).isEqualTo(JobState.WAITING);
    assertThat(it.reason("c")).isEqualTo(new Reason.Capacity(poolId("pool"), gpus("1"), gpus("0")));
    assertThat(pool(it).capacity()).isEqualTo(gpus("1"));
    List<NodeUsage.DeviceUsage> devices = it.core.nodes().getFirst().devices();
    assertThat(devices).extracting(NodeUsage.DeviceUsage::idle).containsOnly(gpus("0"));

    it.exit(onSound, 0);
    assertThat(it.place("c")).isEqualTo("n:1");
    it.join(node(2)).submit("q", "d");
    assertThat(it.place("d")).as("it came back").isEqualTo("n:0");
  }

  @Test
  void areNoReasonWhyAJobNeverFits() {
    Driver it = new Driver(tenant("2")).join(node(2, 1)).submit("q", "both");
    assertThat(it.reason("both").code()).isEqualTo("CAPACITY");
    it.join(node(2));
    assertThat(it.state("both")).isEqualTo(JobState.ASSIGNED);
  }

  @Test
  void keepTheirPlacesWhileTheyAreAway() {
    Driver it = new Driver(tenant("1/2")).join(node(1, Geometry.Sliced.MIG)).submit("q", "a").run();
    it.join(node(1, Geometry.Sliced.MIG, 0)).submit("q", "b");
    assertThat(it.state("b")).isEqualTo(JobState.WAITING);
    it.join(node(1, Geometry.Sliced.MIG));
    assertThat(it.state("b")).isEqualTo(JobState.ASSIGNED);
    assertThat(it.attempt("a").assignment().workers().getFirst().slices().getFirst().placement())
        .isNotEqualTo(
            it.attempt("b").assignment().workers().getFirst().slices().getFirst().placement());
  }

  @Test
  void endAHoldThatWaitsForThem() {
    TenantBuilder two =
        new TenantBuilder()
            .pool("pool", "p")
            .profile("p", "1", "pool")
            .policy("rich", "1", "2")
            .policy("poor", "0", "2")
            .queue("mine", "rich", "p", 1)
            .queue("theirs", "poor", "p", 2);
    Driver it = new Driver(two).join(node(2)).submit("theirs", "a", "b").run();
    it.submit("mine", "c");
    String victim = it.stopped().getFirst();
    int sick = it.place(victim).equals("n:0") ? 0 : 1;
    it.join(node(2, sick)).stopAll();
    it.settle();
    assertThat(it.place("c")).isEqualTo("n:" + (1 - sick));
  }
}

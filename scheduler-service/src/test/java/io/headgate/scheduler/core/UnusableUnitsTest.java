package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.poolId;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.node.Geometry.Sliced;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.type.GpuQuantity;
import org.junit.jupiter.api.Test;

/// Idle GPUs that no job of the pool's queues can take at present.
class UnusableUnitsTest {
  /// A queue `q-GPUS` for each size.
  private static TenantBuilder sizes(String... sizes) {
    TenantBuilder tenant = new TenantBuilder().pool("pool").policy("team", "100", "100");
    for (String size : sizes) {
      tenant.profile(size, size, "pool").queue("q-" + size, "team", size, 1);
    }
    return tenant;
  }

  /// A queue `q` of jobs with `workers`, each of which needs the GPUs and processors.
  private static TenantBuilder workers(int workers, String gpus, long cpuMillis) {
    return new TenantBuilder()
        .pool("pool")
        .policy("team", "100", "100")
        .profile("size", gpus, workers, cpuMillis, "pool")
        .queue("q", "team", "size", 1);
  }

  private static Node node(int gpus, long cpuMillis) {
    return Driver.node("n", "pool", gpus, cpuMillis, NodeStatus.READY);
  }

  private static String unusable(Driver it) {
    GpuQuantity idle = it.usage(poolId("pool")).idle();
    GpuQuantity unusable = it.core.unusable().get(poolId("pool"));
    assertThat(unusable).isLessThanOrEqualTo(idle);
    return unusable + " of " + idle;
  }

  @Test
  void nothingIsUnusableWhereJobsFillTheNode() {
    assertThat(unusable(new Driver(sizes("1", "1/2")).join(node(8, 1_000_000))))
        .isEqualTo("0 of 8");
  }

  @Test
  void remaindersAreTooSmallForEveryJob() {
    Driver it = new Driver(sizes("2/3")).join(node(2, 1_000_000));
    assertThat(unusable(it)).isEqualTo("2/3 of 2");
    it.submit("q-2/3", "a", "b").settle();
    assertThat(unusable(it)).isEqualTo("2/3 of 2/3");
  }

  @Test
  void sizesFillTheNodeTogether() {
    assertThat(unusable(new Driver(sizes("5", "3")).join(node(8, 1_000_000)))).isEqualTo("0 of 8");
    // The largest first would leave 3.
    assertThat(unusable(new Driver(sizes("5", "4")).join(node(8, 1_000_000)))).isEqualTo("0 of 8");
  }

  @Test
  void jobsNeedProcessorsBesideTheGpus() {
    assertThat(unusable(new Driver(workers(1, "1", 4000)).join(node(8, 9000)))).isEqualTo("6 of 8");
  }

  @Test
  void aGangNeedsAllItsWorkers() {
    Driver it = new Driver(workers(2, "4", 0)).join(node(4, 1_000_000));
    assertThat(unusable(it)).isEqualTo("4 of 4");
    it.join(Driver.node("m", "pool", 4));
    assertThat(unusable(it)).isEqualTo("0 of 8");
  }

  @Test
  void aCeilingLeavesLessThanAJob() {
    TenantBuilder tenant = sizes("1").poolCapacity("pool", "5/2");
    assertThat(unusable(new Driver(tenant).join(node(8, 1_000_000)))).isEqualTo("1/2 of 5/2");
  }

  @Test
  void slicesHavePlaces() {
    Driver it = new Driver(sizes("1/2")).join(Driver.sliced("n", "pool", 1, Sliced.MIG));
    assertThat(unusable(it)).isEqualTo("0 of 1");
    it = new Driver(sizes("1/8")).join(Driver.sliced("n", "pool", 1, Sliced.MIG));
    assertThat(unusable(it))
        .as("a device has seven places for the smallest slice")
        .isEqualTo("1/8 of 1");
  }

  @Test
  void aPoolWithoutQueuesHasNoUse() {
    Driver it = new Driver(new TenantBuilder().pool("pool")).join(node(2, 1_000_000));
    assertThat(unusable(it)).isEqualTo("2 of 2");
  }

  @Test
  void aChangedQueueChangesWhatIsOfUse() {
    TenantBuilder tenant = sizes("8");
    Driver it = new Driver(tenant).join(node(4, 1_000_000));
    assertThat(unusable(it)).isEqualTo("4 of 4");
    tenant.profile("2", "2", "pool").queue("q-2", "team", "2", 1);
    it.provision(tenant);
    assertThat(unusable(it)).isEqualTo("0 of 4");
  }
}

package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.Elasticity;
import io.headgate.scheduler.core.catalog.Instance;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.node.Node;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A3 and A8: non-preemptible jobs, where some of their pools are shared and their tenant has no
/// reservation there. Only the other pools are open to them, however much idles in the shared ones.
class ClosedPoolTest {
  /// Red has two policies and a pool of its own; `shared` comes first, but is blue's.
  private final TenantBuilder tenants =
      new TenantBuilder()
          .pool("own")
          .pool("shared")
          .profile("one", "1", "shared", "own")
          .policyOf("red", "red-a", "2", "8")
          .policyOf("red", "red-b", "0", "8")
          .queue("ra", "red-a", "one", 1)
          .queue("rb", "red-b", "one", 1)
          .share("blue", "shared", "1", "");

  private Driver it = new Driver(tenants);

  @BeforeEach
  void begin() {
    it = new Driver(tenants);
  }

  private static Node own() {
    return Driver.node("o", "own", 1);
  }

  private static Node shared() {
    return Driver.node("s", "shared", 1);
  }

  private Driver fixed(String name) {
    return it.submit(it.spec(name, "ra", "ada", 0, Optional.of(false)));
  }

  private void holdAtOnce() {
    tenants.changeProfile("one", p -> p.with().holdAfter(Duration.ZERO).build());
    it.provision(tenants);
  }

  private void makeSharedElastic() {
    Instance instance =
        new Instance(1, "H100", 80 * Driver.GIB, Isolation.NONE, 64_000, 64 * Driver.GIB);
    tenants.changePool(
        "shared",
        p ->
            p.with()
                .elasticity(Optional.of(new Elasticity(instance, 0, 9, Duration.ofHours(1))))
                .build());
    it.provision(tenants);
  }

  @Test
  void itHoldsWhereItMayRunWhileAnotherPoolIdles() {
    holdAtOnce();
    it.join(own()).submit(it.timed("first", "ra", Duration.ofHours(1))).join(shared());
    fixed("fixed");
    assertThat(it.reason("fixed").code()).isEqualTo("HOLDING");
    // Others of its queue are not in its way, nor it in theirs.
    it.submit("ra", "free").settle();
    assertThat(it.pool("free")).isEqualTo("shared");
    it.exit("first", 0).settle();
    assertThat(it.pool("fixed")).isEqualTo("own");
  }

  @Test
  void othersOfItsQueuePassIt() {
    it.join(own());
    fixed("first");
    fixed("fixed").submit("ra", "free").join(shared());
    assertThat(it.pool("free")).isEqualTo("shared");
    assertThat(it.reason("fixed").code()).isEqualTo("CAPACITY");
  }

  @Test
  void itTakesBackItsReservationWhileAnotherPoolIdles() {
    it.join(own()).submit("rb", "first").settle().join(shared());
    fixed("fixed");
    assertThat(it.stopped()).containsExactly("first");
    it.settle();
    assertThat(it.pool("fixed")).isEqualTo("own");
    assertThat(it.pool("first")).isEqualTo("shared");
  }

  @Test
  void itSaysWhatItsPoolLacks() {
    it.join(own()).submit("ra", "first").settle().join(shared());
    fixed("fixed");
    assertThat(it.reason("fixed"))
        .isEqualTo(
            new Reason.Capacity(TenantBuilder.poolId("own"), GpuQuantity.ONE, GpuQuantity.ZERO));
    assertThat(it.effects(Effect.LaneReasonChanged.class).getLast().reason())
        .isEqualTo(it.reason("fixed"));
  }

  @Test
  void itDoesNotWaitForInstancesThatItMayNotUse() {
    makeSharedElastic();
    it.join(own()).submit("rb", "first").settle();
    fixed("fixed");
    assertThat(it.stopped()).containsExactly("first");
  }

  @Test
  void instancesAreAskedForOthersOnly() {
    makeSharedElastic();
    it.join(own());
    fixed("first");
    fixed("fixed");
    assertThat(it.effects(Effect.ScalePool.class)).isEmpty();
    assertThat(it.reason("fixed").code()).isEqualTo("CAPACITY");
    it.submit("ra", "free");
    assertThat(it.effects(Effect.ScalePool.class))
        .containsExactly(new Effect.ScalePool(TenantBuilder.poolId("shared"), 1));
    assertThat(it.reason("free").code()).isEqualTo("WAITING_FOR_PROVIDER");
    assertThat(it.reason("fixed").code()).isEqualTo("CAPACITY");
  }

  @Test
  void instancesAreNotAskedForWhoHolds() {
    makeSharedElastic();
    holdAtOnce();
    it.join(own()).submit(it.timed("first", "ra", Duration.ofHours(1)));
    fixed("fixed");
    assertThat(it.reason("fixed").code()).isEqualTo("HOLDING");
    assertThat(it.effects(Effect.ScalePool.class)).isEmpty();
  }

  /// As in its own pool it is entitled; in the shared one it would not be.
  @Test
  void itsTurnIsThatOfItsPool() {
    tenants
        .pool("own", "other", "one")
        .profile("other", "1", "own")
        .queue("other", "red-b", "other", 1);
    it.provision(tenants).join(own());
    fixed("first");
    it.submit("other", "worse").join(shared());
    fixed("fixed").exit("first", 0);
    assertThat(it.pool("fixed")).isEqualTo("own");
  }

  /// Execution priority in the shared pool is no better than the other job's, and its rank is
  /// worse.
  @Test
  void itsExecutionPriorityIsThatOfItsPool() {
    tenants
        .pool("own", "one", "other")
        .pool("shared", "unused", "one")
        .profile("unused", "2", "shared")
        .profile("other", "1", "own")
        .policyOf("red", "red-a", "1", "8")
        .queue("ra", "red-a", "one", 2)
        .queue("other", "red-b", "other", 1);
    it.provision(tenants).join(own());
    it.submit("other", "first")
        .join(shared())
        .submit("ra", "within")
        .join(Driver.node("t", "shared", 1));
    it.submit("other", "worse");
    fixed("fixed").exit("first", 0);
    assertThat(it.pool("within")).isEqualTo("shared");
    assertThat(it.pool("fixed")).isEqualTo("own");
  }
}

package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.explain.ReasonDetail;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// NEVER_FITS names what is missing and by how much: every dimension, with the nearest fit.
class NearestFitTest {
  private static final Node EIGHT = Driver.node("n", "pool", 8, 64_000, NodeStatus.READY);

  /// @param tenant changes a tenant whose job `q` would fit: one GPU on a node of 8 and 64 CPUs
  private record Case(
      String what,
      List<Node> nodes,
      boolean preemptible,
      UnaryOperator<TenantBuilder> tenant,
      String detail) {
    static Case of(String what, UnaryOperator<TenantBuilder> tenant, String detail) {
      return new Case(what, List.of(EIGHT), true, tenant, detail);
    }

    @Override
    public String toString() {
      return what;
    }
  }

  private static TenantBuilder fitting() {
    return new TenantBuilder()
        .pool("pool")
        .profile("p", "1", "pool")
        .policy("team", "8", "64")
        .policy("other", "8", "64")
        .queue("q", "team", "p", 1);
  }

  static List<Case> cases() {
    return List.of(
        Case.of(
            "GPUs of a node",
            t -> t.profile("p", "16", "pool"),
            "{profile=p, pool=pool, dimension=GPU, asked=16, most=8}"),
        new Case(
            "a part of a GPU where there is none",
            List.of(Driver.node("n", "pool", 0)),
            true,
            t -> t.profile("p", "1/2", "pool"),
            "{profile=p, pool=pool, dimension=GPU, asked=1/2, most=0}"),
        Case.of(
            "model",
            t -> t.changeProfile("p", p -> p.with().gpuModels(Set.of("B200")).build()),
            "{profile=p, pool=pool, dimension=GPU_MODEL, asked=1, most=0}"),
        Case.of(
            "device memory",
            t ->
                t.changeProfile(
                    "p", p -> p.with().gpuMemoryBytes(OptionalLong.of(96 * Driver.GIB)).build()),
            "{profile=p, pool=pool, dimension=GPU_MEMORY, asked=98304 MiB, most=81920 MiB}"),
        Case.of(
            "isolation",
            t ->
                t.profile("p", "1/2", "pool")
                    .changeProfile("p", p -> p.with().isolation(Isolation.HARDWARE).build()),
            "{profile=p, pool=pool, dimension=ISOLATION, asked=level 4, most=level 3}"),
        Case.of(
            "CPUs",
            t -> t.profile("p", "1", 1, 96_500, "pool"),
            "{profile=p, pool=pool, dimension=CPU, asked=96.5, most=64}"),
        Case.of(
            "memory",
            t -> t.changeProfile("p", p -> p.with().memoryBytes(2048 * Driver.GIB).build()),
            "{profile=p, pool=pool, dimension=MEMORY, asked=2097152 MiB, most=1048576 MiB}"),
        new Case(
            "each on some node, but not together: of the node that lacks least",
            List.of(EIGHT, Driver.node("big", "pool", 2, 128_000, NodeStatus.READY)),
            true,
            t -> t.profile("p", "4", 1, 96_000, "pool"),
            "{profile=p, pool=pool, dimension=CPU, asked=96, most=64}"),
        new Case(
            "each on some node, but not together: properties of devices count, too",
            List.of(EIGHT, node("m", false, device(0, 80, Isolation.HARDWARE))),
            true,
            t -> t.profile("p", "1/2", "pool").changeProfile("p", NearestFitTest::inHardware),
            "{profile=p, pool=pool, dimension=ISOLATION, asked=level 4, most=level 3}"),
        new Case(
            "each on some device of a node, but not together",
            List.of(
                node(
                    "n",
                    true,
                    device(0, 40, Isolation.HARDWARE),
                    device(1, 80, Isolation.DRIVER_CONTAINER))),
            true,
            t ->
                t.profile("p", "1/2", "pool")
                    .changeProfile("p", NearestFitTest::inHardware)
                    .changeProfile(
                        "p",
                        p -> p.with().gpuMemoryBytes(OptionalLong.of(60 * Driver.GIB)).build()),
            "{profile=p, pool=pool, dimension=DEVICE, asked=1/2, most=0}"),
        new Case(
            "of several pools the one that comes nearest",
            List.of(EIGHT, Driver.node("m", "larger", 12)),
            true,
            t -> t.pool("larger").profile("p", "16", "pool", "larger"),
            "{profile=p, pool=larger, dimension=GPU, asked=16, most=12}"),
        new Case(
            "of several pools that come equally near the first in routing order",
            List.of(EIGHT, Driver.node("m", "other", 8)),
            true,
            t -> t.pool("other").profile("p", "16", "other", "pool"),
            "{profile=p, pool=other, dimension=GPU, asked=16, most=8}"),
        new Case(
            "of several pools one with a ceiling",
            List.of(EIGHT, Driver.node("m", "large", 16)),
            true,
            t -> t.pool("large").poolCapacity("large", "12").profile("p", "16", "pool", "large"),
            "{pool=large, need=16, capacity=12}"),
        Case.of("dedication", t -> t.dedicated("pool", "other"), "{profile=p, policy=team}"),
        Case.of(
            "policy limit", t -> t.policy("team", "0", "1/2"), "{policy=team, need=1, limit=1/2}"),
        Case.of(
            "user limit",
            t -> t.perUser("team", "1/2"),
            "{policy=team, user=alice, need=1, limit=1/2}"),
        Case.of(
            "reservation of a queue that stays inside",
            t -> t.policy("team", "1/2", "8").entitledOnly("q"),
            "{policy=team, need=1, reservation=1/2}"),
        new Case(
            "reservation of a job that nobody may preempt",
            List.of(EIGHT),
            false,
            t -> t.policy("team", "1/2", "8"),
            "{policy=team, need=1, reservation=1/2}"),
        Case.of(
            "pool capacity",
            t -> t.poolCapacity("pool", "1/2"),
            "{pool=pool, need=1, capacity=1/2}"),
        Case.of(
            "pool capacity of a gang",
            t -> t.profile("p", "4", 3, 0, "pool").poolCapacity("pool", "8"),
            "{pool=pool, need=12, capacity=8}"),
        Case.of(
            "tenant limit",
            t -> t.share("acme", "pool", "0", "1/2"),
            "{tenant=acme, pool=pool, need=1, limit=1/2}"),
        new Case(
            "tenant reservation of a job that nobody may preempt",
            List.of(EIGHT),
            false,
            t -> t.share("acme", "pool", "1/2", "8"),
            "{tenant=acme, pool=pool, need=1, reservation=1/2}"));
  }

  private static Profile inHardware(Profile profile) {
    return profile.with().isolation(Isolation.HARDWARE).images(true).build();
  }

  private static Device device(int index, int gib, Isolation isolation) {
    return new Device(
        index, "gpu-" + index, "H100", gib * Driver.GIB, new Geometry.Continuous(), isolation);
  }

  private static Node node(String name, boolean runsImages, Device... devices) {
    return new Node(
        new NodeId(TenantBuilder.ACME, name),
        TenantBuilder.poolId("pool"),
        List.of(devices),
        64_000,
        1024 * Driver.GIB,
        NodeStatus.READY,
        runsImages);
  }

  private static Driver submitted(Case given, TenantBuilder tenant, List<Node> nodes) {
    Driver it = new Driver(tenant).join(nodes.toArray(Node[]::new));
    Optional<Boolean> preemptible = given.preemptible() ? Optional.empty() : Optional.of(false);
    return it.submit(it.spec("j", "q", "alice", 0, preemptible));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void namesTheDimensionAndTheNearest(Case given) {
    Driver it = submitted(given, given.tenant().apply(fitting()), given.nodes());
    assertThat(ReasonDetail.of(it.denial())).hasToString(given.detail());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void saysTheSameOfAJobThatWaitedBeforeTheChange(Case given) {
    TenantBuilder closed = fitting().closed("q");
    Driver it = submitted(given, closed, List.of(EIGHT));
    assertThat(it.reason("j").code()).isEqualTo("QUEUE_CLOSED");
    it.join(given.nodes().toArray(Node[]::new)).provision(given.tenant().apply(fitting()));
    assertThat(it.reason("j").code()).isEqualTo("NEVER_FITS");
    assertThat(ReasonDetail.of(it.reason("j"))).hasToString(given.detail());
  }
}

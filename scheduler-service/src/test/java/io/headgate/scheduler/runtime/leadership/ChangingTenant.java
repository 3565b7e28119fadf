package io.headgate.scheduler.runtime.leadership;

import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.PreemptionOutcome;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.runtime.catalog.Access;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.catalog.Grace;
import io.headgate.scheduler.runtime.catalog.JointChange;
import io.headgate.scheduler.runtime.catalog.Supply;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/// A tenant whose supply and rights are drawn again and again, as a pair of versions.
final class ChangingTenant {
  static final TenantId ID = new TenantId("acme");
  static final List<String> USERS = List.of("alice", "bob");
  private static final int POOLS = 2;
  private static final int PROFILES = 3;
  private static final int POLICIES = 3;

  private final RandomGenerator random;
  private long version;

  ChangingTenant(RandomGenerator random) {
    this.random = random;
  }

  List<Supply.Machine> machines() {
    List<Supply.Machine> machines = new ArrayList<>();
    for (int i = 0; i < 2 * POOLS; i++) {
      List<Device> devices = new ArrayList<>();
      for (int device = 0; device < 1 + random.nextInt(4); device++) {
        devices.add(
            new Device(
                device,
                "n" + i + "-" + device,
                "H100",
                80L << 30,
                new Geometry.Continuous(),
                Isolation.NONE));
      }
      machines.add(
          new Supply.Machine(
              new Node(
                  new NodeId(ID, "n" + i),
                  pool(i % POOLS),
                  devices,
                  64_000,
                  1L << 40,
                  NodeStatus.READY),
              true));
    }
    return machines;
  }

  /// Supply and rights that come into force together.
  record Change(Supply supply, Access access) {
    CatalogUpdate.OfSupply half(List<Supply.Machine> machines) {
      return new CatalogUpdate.OfSupply(news(), List.of(supply), List.of(), machines, List.of());
    }

    CatalogUpdate.OfAccess otherHalf() {
      return new CatalogUpdate.OfAccess(news(), List.of(access), List.of());
    }

    private static Batch.CatalogChange news() {
      return new Batch.CatalogChange(WatchPosition.START, false, List.of(), List.of());
    }
  }

  Change next() {
    version++;
    Optional<JointChange> joint = Optional.of(new JointChange("c" + version, version, version));
    List<Profile> profiles = new ArrayList<>();
    for (int i = 0; i < PROFILES; i++) {
      profiles.add(profile(i));
    }
    List<Supply.OfferedPool> pools = new ArrayList<>();
    for (int i = 0; i < POOLS; i++) {
      pools.add(new Supply.OfferedPool(Pool.of(pool(i)), Optional.empty()));
    }
    List<Access.Group> groups = new ArrayList<>();
    List<Access.Rights> rights = new ArrayList<>();
    List<Queue> queues = new ArrayList<>();
    for (int i = 0; i < POLICIES; i++) {
      PolicyId policy = new PolicyId(ID, "g" + i);
      groups.add(new Access.Group(policy.name(), members(), Set.of()));
      rights.add(new Access.Rights(policy(policy), policy.name(), Optional.empty(), Grace.NONE));
      for (int profile = 0; profile < PROFILES; profile++) {
        if (chance(80)) {
          queues.add(
              new Queue(
                  new QueueId(ID, policy.name() + "-f" + profile),
                  policy,
                  new ProfileId(ID, "f" + profile),
                  1 + random.nextInt(2),
                  chance(90),
                  chance(95)));
        }
      }
    }
    return new Change(
        new Supply(ID, version, pools, profiles, joint),
        new Access(
            ID,
            version,
            groups,
            List.of(),
            rights,
            queues,
            Map.of(),
            joint,
            Access.Roles.UNKNOWN,
            List.of(),
            List.of()));
  }

  private Profile profile(int number) {
    List<PoolId> route = new ArrayList<>();
    route.add(pool(random.nextInt(POOLS)));
    if (chance(50)) {
      route.add(pool(POOLS - 1 - Integer.parseInt(route.getFirst().name().substring(1))));
    }
    return Profile.of(
            new ProfileId(ID, "f" + number),
            GpuQuantity.parse(List.of("1/2", "1", "1", "2", "3").get(random.nextInt(5))),
            route)
        .with()
        .reclaim(chance(20) ? Reclaim.STRICT : Reclaim.RESERVATION)
        .build();
  }

  private Policy policy(PolicyId id) {
    long reservation = random.nextInt(6);
    return Policy.of(
            id,
            GpuQuantity.parse("" + reservation),
            GpuQuantity.parse("" + (reservation + random.nextInt(6))))
        .with()
        .onPreempt(chance(80) ? PreemptionOutcome.REQUEUE : PreemptionOutcome.CANCEL)
        .build();
  }

  private Set<String> members() {
    Set<String> members = new LinkedHashSet<>();
    for (String user : USERS) {
      if (chance(85)) {
        members.add("users/" + user);
      }
    }
    return members;
  }

  private static PoolId pool(int number) {
    return new PoolId(ID, "p" + number);
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }
}

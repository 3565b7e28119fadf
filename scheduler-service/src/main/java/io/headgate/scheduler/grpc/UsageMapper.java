package io.headgate.scheduler.grpc;

import com.google.protobuf.Timestamp;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.scheduler.v1.DeviceUsage;
import io.headgate.proto.scheduler.v1.NodeUsage;
import io.headgate.proto.scheduler.v1.PolicyUsage;
import io.headgate.proto.scheduler.v1.PoolUsage;
import io.headgate.proto.scheduler.v1.QueueUsage;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.usage.NodeUsage.Use;
import io.headgate.scheduler.runtime.desk.LeaderView;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.text.SetAsideText;
import io.headgate.type.GpuQuantity;
import io.headgate.type.Viewer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/// Use in the form of the contract. Runs on the loop.
final class UsageMapper {
  /// Jobs named on one node.
  private static final int JOBS = 100;

  private UsageMapper() {}

  /// The sums over the jobs of a queue or policy.
  private record Sum(long waitingUnits, long usedUnits, Optional<Instant> oldest) {
    static final Sum NONE = new Sum(0, 0, Optional.empty());

    Sum with(LeaderView.Total total) {
      Optional<Instant> older =
          Stream.concat(oldest.stream(), total.oldestWaiting().stream())
              .min(Comparator.naturalOrder());
      return new Sum(waitingUnits + total.waitingUnits(), usedUnits + total.usedUnits(), older);
    }

    Optional<Timestamp> oldestTime() {
      return oldest.map(ProtoTimes::toProto);
    }
  }

  private static <K> Map<K, Sum> sums(LeaderView leader, Function<LeaderView.Total, K> key) {
    Map<K, Sum> sums = new HashMap<>();
    for (LeaderView.Total total : leader.reads().totals()) {
      K of = key.apply(total);
      sums.put(of, sums.getOrDefault(of, Sum.NONE).with(total));
    }
    return sums;
  }

  static List<PolicyUsage> policies(LeaderView leader, TenantId tenant, Viewer viewer) {
    Map<PolicyId, Sum> sums =
        sums(leader, total -> new PolicyId(total.queue().tenant(), total.policy()));
    Map<PolicyId, Instant> starts = expectedStarts(leader);
    return leader.core().policies().stream()
        .filter(usage -> usage.policy().tenant().equals(tenant))
        .filter(usage -> viewer.seesTeam(usage.policy().name()))
        .map(usage ->
            policy(
                usage,
                sums.getOrDefault(usage.policy(), Sum.NONE),
                Optional.ofNullable(starts.get(usage.policy()))))
        .toList();
  }

  /// The earliest expected start of each policy's jobs with a hold. There are few holds.
  private static Map<PolicyId, Instant> expectedStarts(LeaderView leader) {
    Map<PolicyId, Instant> starts = new HashMap<>();
    for (Hold hold : leader.reads().holds()) {
      Optional<JobRecord> job = leader.reads().job(hold.job());
      if (hold.expectedStart().isPresent() && job.isPresent()) {
        PolicyId policy = new PolicyId(job.get().tenant(), job.get().metadata().policy());
        starts.merge(policy, hold.expectedStart().get(), (a, b) -> a.isBefore(b) ? a : b);
      }
    }
    return starts;
  }

  private static PolicyUsage policy(
      io.headgate.scheduler.core.usage.PolicyUsage usage, Sum sum, Optional<Instant> start) {
    PolicyUsage.Builder policy =
        PolicyUsage.newBuilder()
            .setPolicy(usage.policy().name())
            .setUsed(usage.used().toString())
            .setEntitled(usage.entitled().toString())
            .setOverReservation(usage.overReservation().toString())
            .setReservation(usage.reservation().toString())
            .setLimit(usage.limit().toString())
            .setDemand(GpuQuantity.format(sum.waitingUnits()))
            .setRunningJobs(usage.running())
            .setWaitingJobs(usage.waiting());
    sum.oldestTime().ifPresent(policy::setOldestWaitingTime);
    start.map(ProtoTimes::toProto).ifPresent(policy::setNextExpectedStartTime);
    return policy.build();
  }

  static List<QueueUsage> queues(LeaderView leader, TenantId tenant, Viewer viewer) {
    Map<QueueId, Sum> sums = sums(leader, LeaderView.Total::queue);
    return leader.core().queues().stream()
        .filter(usage -> usage.queue().tenant().equals(tenant))
        .filter(usage -> isSeen(leader, usage.queue(), viewer))
        .map(usage -> {
          Sum sum = sums.getOrDefault(usage.queue(), Sum.NONE);
          QueueUsage.Builder queue =
              QueueUsage.newBuilder()
                  .setQueue(usage.queue().name())
                  .setUsed(GpuQuantity.format(sum.usedUnits()))
                  .setRunningJobs(usage.running())
                  .setWaitingJobs(usage.waiting());
          leader
              .catalog()
              .queue(usage.queue())
              .ifPresent(provisioned ->
                  queue
                      .setPolicy(provisioned.policy().name())
                      .setProfile(provisioned.profile().name()));
          usage.headReason().map(JobMapper::toReason).ifPresent(queue::setHeadReason);
          sum.oldestTime().ifPresent(queue::setOldestWaitingTime);
          return queue.build();
        })
        .toList();
  }

  /// A queue without policy belongs to no team.
  private static boolean isSeen(LeaderView leader, QueueId queue, Viewer viewer) {
    return viewer.seesTeam(
        leader.catalog().queue(queue).map(known -> known.policy().name()).orElse(""));
  }

  static List<PoolUsage> pools(LeaderView leader, TenantId tenant, Viewer viewer) {
    Map<PoolId, Long> waiting = waiting(leader, tenant, viewer);
    List<PoolUsage> usages = new ArrayList<>();
    List<PoolUsage> sharedUsages = new ArrayList<>();
    Set<PoolId> shared = leader.catalog().sharedPools(tenant);
    Map<PoolId, Long> down = down(leader);
    for (var usage : leader.core().pools()) {
      long jobs = waiting.getOrDefault(usage.pool(), 0L);
      if (usage.pool().tenant().equals(tenant)) {
        usages.add(
            ownPool(leader, usage, down.getOrDefault(usage.pool(), 0L))
                .setWaitingJobs(jobs)
                .build());
      } else if (shared.contains(usage.pool())) {
        sharedUsages.add(sharedPool(leader, tenant, usage).setWaitingJobs(jobs).build());
      }
    }
    usages.addAll(sharedUsages);
    return usages;
  }

  /// The waiting jobs of the policies that the caller sees, in each pool that they may run in.
  private static Map<PoolId, Long> waiting(LeaderView leader, TenantId tenant, Viewer viewer) {
    Map<PoolId, Long> waiting = new HashMap<>();
    for (LeaderView.Total total : leader.reads().totals()) {
      if (total.queue().tenant().equals(tenant)
          && total.waiting() > 0
          && viewer.seesTeam(total.policy())) {
        leader
            .catalog()
            .profile(new ProfileId(tenant, total.profile()))
            .ifPresent(profile ->
                profile
                    .pools()
                    .forEach(pool -> waiting.merge(pool, (long) total.waiting(), Long::sum)));
      }
    }
    return waiting;
  }

  /// A tenant sees its own use of a shared pool; of all others only that capacity is taken.
  private static PoolUsage.Builder sharedPool(
      LeaderView leader, TenantId tenant, io.headgate.scheduler.core.usage.PoolUsage usage) {
    long own =
        leader.core().tenants().stream()
            .filter(each -> each.tenant().equals(tenant) && each.pool().equals(usage.pool()))
            .mapToLong(each -> each.used().units())
            .sum();
    long taken = usage.capacity().units() - usage.idle().units() - own;
    return PoolUsage.newBuilder()
        .setPool(usage.pool().toString())
        .setCapacity(usage.capacity().toString())
        .setUsed(GpuQuantity.format(own))
        .setHeld(GpuQuantity.ZERO.toString())
        .setIdle(usage.idle().toString())
        .setTaken(GpuQuantity.format(Math.max(0, taken)));
  }

  /// @param down units on nodes that take no work
  private static PoolUsage.Builder ownPool(
      LeaderView leader, io.headgate.scheduler.core.usage.PoolUsage usage, long down) {
    return PoolUsage.newBuilder()
        .setPool(usage.pool().name())
        .setCapacity(usage.capacity().toString())
        .setUsed(usage.used().toString())
        .setHeld(usage.held().toString())
        .setIdleForHolds(usage.idleForHolds().toString())
        .setIdle(usage.idle().toString())
        .setUnusable(
            GpuQuantity.format(
                Math.min(usage.idle().units(), leader.reads().unusable(usage.pool()))))
        .setDown(GpuQuantity.format(down))
        .setLiveNodes(usage.readyNodes())
        .setNodes(usage.nodes())
        .setRunningJobs(usage.running());
  }

  /// Units on nodes that take no work, by pool.
  private static Map<PoolId, Long> down(LeaderView leader) {
    Map<PoolId, Long> units = new HashMap<>();
    for (var usage : leader.core().nodes()) {
      Node node = usage.node();
      if (node.status() != NodeStatus.READY) {
        units.merge(node.pool(), node.devices().size() * GpuQuantity.UNITS_PER_GPU, Long::sum);
      }
    }
    return units;
  }

  static List<NodeUsage> nodes(LeaderView leader, TenantId tenant, Viewer viewer) {
    Map<NodeId, LeaderView.Contact> contacts = new HashMap<>();
    leader.reads().contacts().forEach(contact -> contacts.put(contact.node(), contact));
    Function<JobId, Optional<String>> names =
        id ->
            leader
                .reads()
                .job(id)
                .filter(job -> JobReads.sees(viewer, job))
                .map(job -> job.name().id());
    return leader.core().nodes().stream()
        .filter(usage -> usage.node().id().tenant().equals(tenant))
        .map(usage ->
            node(leader, usage, Optional.ofNullable(contacts.get(usage.node().id())), names))
        .toList();
  }

  private static NodeUsage node(
      LeaderView leader,
      io.headgate.scheduler.core.usage.NodeUsage usage,
      Optional<LeaderView.Contact> contact,
      Function<JobId, Optional<String>> names) {
    Set<String> jobs = new LinkedHashSet<>();
    NodeUsage.Builder node =
        NodeUsage.newBuilder()
            .setNode(usage.node().id().name())
            .setPool(usage.node().pool().name())
            .setUsedCpuMillis(usage.cpuMillisUsed())
            .setUsedMemoryBytes(usage.memoryBytesUsed())
            .setContact(
                contact
                    .map(LeaderView.Contact::state)
                    .map(UsageMapper::toContact)
                    .orElse(NodeUsage.Contact.CONTACT_NEVER));
    contact
        .filter(each -> each.heardAgoNanos() >= 0)
        .ifPresent(each ->
            node.setLastContactTime(
                ProtoTimes.toProto(leader.now().minusNanos(each.heardAgoNanos()))));
    usage
        .setAside()
        .ifPresent(pause ->
            node.setSetAsideUntil(ProtoTimes.toProto(pause.until()))
                .setSetAsideReason(SetAsideText.why(pause.evidence())));
    contact.flatMap(LeaderView.Contact::runsImages).ifPresent(node::setRunsImages);
    for (var device : usage.devices()) {
      node.addDevices(device(device, names, jobs));
    }
    leader.reads().jobsOn(usage.node().id()).stream()
        .map(names)
        .flatMap(Optional::stream)
        .forEach(jobs::add);
    return node.addAllJobs(jobs.stream().limit(JOBS).toList()).build();
  }

  /// @param names of jobs that the caller sees
  private static DeviceUsage device(
      io.headgate.scheduler.core.usage.NodeUsage.DeviceUsage device,
      Function<JobId, Optional<String>> names,
      Set<String> onNode) {
    long used = 0;
    long held = 0;
    Set<String> jobs = new LinkedHashSet<>();
    for (Use use : device.uses()) {
      if (use.kind() == Use.Kind.HELD) {
        held += use.quantity().units();
      } else {
        used += use.quantity().units();
        names.apply(use.job()).ifPresent(jobs::add);
      }
    }
    onNode.addAll(jobs);
    return DeviceUsage.newBuilder()
        .setIndex(device.device().index())
        .setUsed(GpuQuantity.format(used))
        .setHeld(GpuQuantity.format(held))
        .addAllJobs(jobs)
        .build();
  }

  private static NodeUsage.Contact toContact(LeaderView.Contact.State state) {
    return switch (state) {
      case CONNECTED -> NodeUsage.Contact.CONTACT_CONNECTED;
      case SUSPECT -> NodeUsage.Contact.CONTACT_SUSPECT;
      case LOST -> NodeUsage.Contact.CONTACT_LOST;
      case NEVER -> NodeUsage.Contact.CONTACT_NEVER;
    };
  }
}

package io.headgate.scheduler.core.explain;

import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/// The numbers of a reason or denial by name, as the contract and simulations give them: `{policy:
/// rnd, usage: 9, need: 3, limit: 9}`. One vocabulary: `usage` is a policy's or user's, `used` a
/// pool's, `need` the whole job's; a bound has its own name. They come in reading order: subject,
/// present value, need, bound.
public final class ReasonDetail {
  private ReasonDetail() {}

  public static Map<String, String> of(Reason reason) {
    return switch (reason) {
      case Reason.NeverFits(Denial denial) -> of(denial);
      case Reason.QueueClosed(var queue) -> named("queue", queue.name());
      case Reason.Budget(var spent) ->
          named(
              spent.level().word(),
              spent.name(),
              "budget",
              spent.amount(),
              "until",
              spent.until().toString());
      case Reason.Limit(var policy, var usage, var need, var limit) ->
          numbers(policy, usage, need, "limit", limit);
      case Reason.DepartmentLimit(var department, var usage, var need, var limit) ->
          ofDepartment(department, usage, need, "limit", limit);
      case Reason.DepartmentOverReservationDenied(
              var department,
              var usage,
              var need,
              var reservation) ->
          ofDepartment(department, usage, need, "reservation", reservation);
      case Reason.DepartmentNonPreemptible(var department, var usage, var need, var reservation) ->
          ofDepartment(department, usage, need, "reservation", reservation);
      case Reason.TenantLimit(var tenant, var pool, var usage, var need, var limit) ->
          inPool(tenant, pool, usage, need, "limit", limit);
      case Reason.UserLimit(var policy, var user, var usage, var need, var limit) -> {
        Map<String, String> detail = named("policy", policy.name(), "user", user.name());
        detail.putAll(numbers(policy, usage, need, "limit", limit));
        yield detail;
      }
      case Reason.OverReservationDenied(var policy, var usage, var need, var reservation) ->
          numbers(policy, usage, need, "reservation", reservation);
      case Reason.NonPreemptible(var policy, var usage, var need, var reservation) ->
          numbers(policy, usage, need, "reservation", reservation);
      case Reason.TenantOverReservationDenied(
              var tenant,
              var pool,
              var usage,
              var need,
              var reservation) ->
          inPool(tenant, pool, usage, need, "reservation", reservation);
      case Reason.TenantNonPreemptible(
              var tenant,
              var pool,
              var usage,
              var need,
              var reservation) ->
          inPool(tenant, pool, usage, need, "reservation", reservation);
      case Reason.PoolCapacity(var pool, var used, var need, var capacity) ->
          named(
              "pool",
              pool.name(),
              "used",
              used.toString(),
              "need",
              need.toString(),
              "capacity",
              capacity.toString());
      case Reason.AfterJobs(var first, int more) ->
          named(
              "job",
              first.name(),
              "condition",
              first.condition().name(),
              "more",
              Integer.toString(more));
      case Reason.NotBefore(var time) -> named("time", time.toString());
      case Reason.Hold(var pool, var need, var holder) ->
          named("pool", pool.name(), "need", need.toString(), "holder", holder.toString());
      case Reason.HeldInLimit(var limit, var held, var holder, var until) -> {
        Map<String, String> detail = of(limit);
        detail.putAll(
            named(
                "held",
                held.toString(),
                "holder",
                holder.toString(),
                "until",
                until.map(Instant::toString).orElse("")));
        yield detail;
      }
      case Reason.Suspended(var node, var devices, var until) ->
          named(
              "node",
              node.name(),
              "devices",
              devices.stream().map(String::valueOf).collect(Collectors.joining(" ")),
              "until",
              until.toString());
      case Reason.Holding(var pool, var waitsFor, var expectedStart) -> {
        Map<String, String> detail =
            named("pool", pool.name(), "attempts", Integer.toString(waitsFor.size()));
        expectedStart.ifPresent(at -> detail.put("expectedStart", at.toString()));
        yield detail;
      }
      case Reason.BackingOff(var node, int rejections, var until) ->
          named(
              "node",
              node.name(),
              "rejections",
              Integer.toString(rejections),
              "until",
              until.toString());
      case Reason.SetAside(var pool, var need, var node, int nodes, var until) ->
          named(
              "pool",
              pool.name(),
              "need",
              need.toString(),
              "nodes",
              Integer.toString(nodes),
              "node",
              node.name(),
              "until",
              until.toString());
      case Reason.WaitingForProvider(var pool, var need) ->
          named("pool", pool.name(), "need", need.toString());
      case Reason.Capacity(var pool, var need, var idle, var blockedBy) ->
          named(
              "pool",
              pool.name(),
              "need",
              need.toString(),
              "idle",
              idle.toString(),
              "blockedBy",
              blockedBy.map(Obstacle::toString).orElse(""));
      case Reason.Fragmentation(var pool, var need, var idle, var dimension, var blockedBy) ->
          named(
              "pool",
              pool.name(),
              "need",
              need.toString(),
              "idle",
              idle.toString(),
              "dimension",
              dimension.name(),
              "blockedBy",
              blockedBy.map(Obstacle::toString).orElse(""));
      case Reason.WaitingForVictims(var pool, var victims) ->
          named("pool", pool.name(), "victims", Integer.toString(victims.size()));
    };
  }

  public static Map<String, String> of(Denial denial) {
    return switch (denial) {
      case Denial.UnknownQueue(var queue) -> named("queue", queue.name());
      case Denial.UnknownProfile(var queue, var profile) ->
          named("queue", queue.name(), "profile", profile.name());
      case Denial.UnknownPolicy(var queue, var policy) ->
          named("queue", queue.name(), "policy", policy.name());
      case Denial.AboveLimit(var policy, var need, var limit) ->
          bound(policy, need, "limit", limit);
      case Denial.AboveUserLimit(var policy, var user, var need, var limit) -> {
        Map<String, String> detail = named("policy", policy.name(), "user", user.name());
        detail.putAll(bound(policy, need, "limit", limit));
        yield detail;
      }
      case Denial.AboveReservation(var policy, var need, var reservation) ->
          bound(policy, need, "reservation", reservation);
      case Denial.NonPreemptibleAboveReservation(var policy, var need, var reservation) ->
          bound(policy, need, "reservation", reservation);
      case Denial.AboveDepartmentLimit(var department, var need, var limit) ->
          boundOfDepartment(department, need, "limit", limit);
      case Denial.AboveDepartmentReservation(var department, var need, var reservation) ->
          boundOfDepartment(department, need, "reservation", reservation);
      case Denial.NonPreemptibleAboveDepartmentReservation(
              var department,
              var need,
              var reservation) ->
          boundOfDepartment(department, need, "reservation", reservation);
      case Denial.AboveTenantLimit(var tenant, var pool, var need, var limit) ->
          boundInPool(tenant, pool, need, "limit", limit);
      case Denial.NonPreemptibleAboveTenantReservation(
              var tenant,
              var pool,
              var need,
              var reservation) ->
          boundInPool(tenant, pool, need, "reservation", reservation);
      case Denial.NoPool(var profile, var policy) ->
          named("profile", profile.name(), "policy", policy.name());
      case Denial.NoNodeFits(var profile, var pool, var dimension, long asked, long most) ->
          named(
              "profile",
              profile.name(),
              "pool",
              pool.name(),
              "dimension",
              dimension.name(),
              "asked",
              amount(dimension, asked),
              "most",
              amount(dimension, most));
      case Denial.AbovePoolCapacity(var pool, var need, var capacity) ->
          named("pool", pool.name(), "need", need.toString(), "capacity", capacity.toString());
      case Denial.DuplicateJob(var job) -> named("job", job.toString());
      case Denial.WrongState(var _, var state, var event) ->
          named("state", state.name(), "event", event.name());
    };
  }

  /// An amount in its dimension's unit, as people write it.
  public static String amount(Dimension dimension, long value) {
    return switch (dimension) {
      case GPU, DEVICE, GEOMETRY, GPU_MODEL -> GpuQuantity.format(value);
      case GPU_MEMORY, MEMORY -> value / (1 << 20) + " MiB";
      case CPU -> value / 1000 + (value % 1000 == 0 ? "" : "." + value % 1000 / 100);
      case ISOLATION -> "level " + value;
      case IMAGES -> Long.toString(value);
    };
  }

  private static Map<String, String> numbers(
      PolicyId policy, GpuQuantity usage, GpuQuantity need, String bound, GpuQuantity value) {
    return named(
        "policy",
        policy.name(),
        "usage",
        usage.toString(),
        "need",
        need.toString(),
        bound,
        value.toString());
  }

  private static Map<String, String> bound(
      PolicyId policy, GpuQuantity need, String bound, GpuQuantity value) {
    return named("policy", policy.name(), "need", need.toString(), bound, value.toString());
  }

  private static Map<String, String> ofDepartment(
      DepartmentId department,
      GpuQuantity usage,
      GpuQuantity need,
      String bound,
      GpuQuantity value) {
    return named(
        "department",
        department.name(),
        "usage",
        usage.toString(),
        "need",
        need.toString(),
        bound,
        value.toString());
  }

  private static Map<String, String> boundOfDepartment(
      DepartmentId department, GpuQuantity need, String bound, GpuQuantity value) {
    return named("department", department.name(), "need", need.toString(), bound, value.toString());
  }

  private static Map<String, String> inPool(
      TenantId tenant,
      PoolId pool,
      GpuQuantity usage,
      GpuQuantity need,
      String bound,
      GpuQuantity value) {
    return named(
        "tenant",
        tenant.name(),
        "pool",
        pool.name(),
        "usage",
        usage.toString(),
        "need",
        need.toString(),
        bound,
        value.toString());
  }

  private static Map<String, String> boundInPool(
      TenantId tenant, PoolId pool, GpuQuantity need, String bound, GpuQuantity value) {
    return named(
        "tenant",
        tenant.name(),
        "pool",
        pool.name(),
        "need",
        need.toString(),
        bound,
        value.toString());
  }

  /// Leaves out values without a name.
  private static Map<String, String> named(String... namesAndValues) {
    Map<String, String> detail = new LinkedHashMap<>();
    for (int i = 0; i + 1 < namesAndValues.length; i += 2) {
      if (!namesAndValues[i + 1].isEmpty()) {
        detail.put(namesAndValues[i], namesAndValues[i + 1]);
      }
    }
    return detail;
  }
}

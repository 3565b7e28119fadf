package io.headgate.scheduler.runtime;

import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.Dimension;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.type.GpuQuantity;
import java.util.Map;

/// Why a job waits, or may not be, in one sentence and as numbers by name.
public final class ReasonText {
  private ReasonText() {}

  /// One sentence, without the job's name.
  public static String sentence(Reason reason) {
    return switch (reason) {
      case Reason.NeverFits(Denial denial) -> "it can never start: " + sentence(denial);
      case Reason.QueueClosed(var queue) -> "queue " + queue.name() + " is paused";
      case Reason.Limit(var policy, var usage, var need, var limit) ->
          "%s uses %s of its limit %s, it needs %s".formatted(policy.name(), usage, limit, need);
      case Reason.UserLimit(var policy, var user, var usage, var need, var limit) ->
          "%s uses %s of %s per user in %s, it needs %s"
              .formatted(user, usage, limit, policy.name(), need);
      case Reason.OverReservationDenied(var policy, var usage, var need, var reservation) ->
          "its queue stays inside the reservation: %s uses %s of %s, it needs %s"
              .formatted(policy.name(), usage, reservation, need);
      case Reason.NonPreemptible(var policy, var usage, var need, var reservation) ->
          "non-preemptible jobs stay inside the reservation: those of %s use %s of %s, it needs %s"
              .formatted(policy.name(), usage, reservation, need);
      case Reason.PoolCapacity(var pool, var used, var need, var capacity) ->
          "pool %s is capped at %s, %s are used, it needs %s"
              .formatted(pool.name(), capacity, used, need);
      case Reason.Capacity(var pool, var need, var idle) ->
          "needs %s in %s, %s idle".formatted(gpus(need), pool.name(), areIdle(idle));
      case Reason.Fragmentation(var pool, var need, var idle, var dimension) ->
          "needs %s in %s, %s idle but not together (%s)"
              .formatted(gpus(need), pool.name(), areIdle(idle), name(dimension));
      case Reason.WaitingForVictims(var pool, var victims) ->
          "its place in %s is held; %d attempt%s must leave it first"
              .formatted(pool.name(), victims.size(), victims.size() == 1 ? "" : "s");
    };
  }

  /// The numbers by name, with the code.
  public static Map<String, String> detail(Reason reason) {
    return switch (reason) {
      case Reason.NeverFits(Denial denial) -> detail(denial);
      case Reason.QueueClosed(var queue) -> Narration.detail("queue", queue.name());
      case Reason.Limit(var policy, var usage, var need, var limit) ->
          numbers(policy.name(), usage, need, "limit", limit);
      case Reason.UserLimit(var policy, var user, var usage, var need, var limit) -> {
        Map<String, String> detail = numbers(policy.name(), usage, need, "limit", limit);
        detail.put("user", user.name());
        yield detail;
      }
      case Reason.OverReservationDenied(var policy, var usage, var need, var reservation) ->
          numbers(policy.name(), usage, need, "reservation", reservation);
      case Reason.NonPreemptible(var policy, var usage, var need, var reservation) ->
          numbers(policy.name(), usage, need, "reservation", reservation);
      case Reason.PoolCapacity(var pool, var used, var need, var capacity) ->
          Narration.detail(
              "pool",
              pool.name(),
              "used",
              used.toString(),
              "need",
              need.toString(),
              "capacity",
              capacity.toString());
      case Reason.Capacity(var pool, var need, var idle) ->
          Narration.detail("pool", pool.name(), "need", need.toString(), "idle", idle.toString());
      case Reason.Fragmentation(var pool, var need, var idle, var dimension) ->
          Narration.detail(
              "pool",
              pool.name(),
              "need",
              need.toString(),
              "idle",
              idle.toString(),
              "dimension",
              dimension.name());
      case Reason.WaitingForVictims(var pool, var victims) ->
          Narration.detail("pool", pool.name(), "victims", Integer.toString(victims.size()));
    };
  }

  /// What is wrong and, where it helps, what would be right.
  public static String sentence(Denial denial) {
    return switch (denial) {
      case Denial.UnknownQueue(var queue) -> "queue " + queue.name() + " does not exist";
      case Denial.UnknownProfile(var queue, var profile) ->
          "profile %s of queue %s is not provisioned".formatted(profile.name(), queue.name());
      case Denial.UnknownPolicy(var queue, var policy) ->
          "policy %s of queue %s does not exist".formatted(policy.name(), queue.name());
      case Denial.AboveLimit(var policy, var need, var limit) ->
          "one job needs %s, the limit of %s is %s".formatted(gpus(need), policy.name(), limit);
      case Denial.AboveUserLimit(var policy, var user, var need, var limit) ->
          "one job needs %s, one user of %s gets at most %s (%s)"
              .formatted(gpus(need), policy.name(), limit, user);
      case Denial.AboveReservation(var policy, var need, var reservation) ->
          "its queue stays inside the reservation, and one job needs %s of %s's %s"
              .formatted(gpus(need), policy.name(), reservation);
      case Denial.NonPreemptibleAboveReservation(var policy, var need, var reservation) ->
          "a non-preemptible job stays inside the reservation, and needs %s of %s's %s"
              .formatted(gpus(need), policy.name(), reservation);
      case Denial.NoPool(var profile, var policy) ->
          "profile %s has no pool that %s may use".formatted(profile.name(), policy.name());
      case Denial.NoNodeFits(var profile, var pool, var dimension, long asked, long most) ->
          "no node is large enough for profile %s; the nearest, in %s, has %s of the %s %s it needs"
              .formatted(
                  profile.name(),
                  pool.name(),
                  amount(dimension, most),
                  amount(dimension, asked),
                  name(dimension));
      case Denial.AbovePoolCapacity(var pool, var need, var capacity) ->
          "one job needs %s, pool %s is capped at %s".formatted(gpus(need), pool.name(), capacity);
      case Denial.DuplicateJob(var job) -> "a job with the internal id " + job + " exists";
      case Denial.WrongState(var _, var state, var event) ->
          "a job that is %s cannot %s".formatted(state, verb(event.name()));
    };
  }

  /// The numbers by name.
  public static Map<String, String> detail(Denial denial) {
    return switch (denial) {
      case Denial.UnknownQueue(var queue) -> Narration.detail("queue", queue.name());
      case Denial.UnknownProfile(var queue, var profile) ->
          Narration.detail("queue", queue.name(), "profile", profile.name());
      case Denial.UnknownPolicy(var queue, var policy) ->
          Narration.detail("queue", queue.name(), "policy", policy.name());
      case Denial.AboveLimit(var policy, var need, var limit) ->
          bound(policy.name(), need, "limit", limit);
      case Denial.AboveUserLimit(var policy, var user, var need, var limit) -> {
        Map<String, String> detail = bound(policy.name(), need, "limit", limit);
        detail.put("user", user.name());
        yield detail;
      }
      case Denial.AboveReservation(var policy, var need, var reservation) ->
          bound(policy.name(), need, "reservation", reservation);
      case Denial.NonPreemptibleAboveReservation(var policy, var need, var reservation) ->
          bound(policy.name(), need, "reservation", reservation);
      case Denial.NoPool(var profile, var policy) ->
          Narration.detail("profile", profile.name(), "policy", policy.name());
      case Denial.NoNodeFits(var profile, var pool, var dimension, long asked, long most) ->
          Narration.detail(
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
          Narration.detail(
              "pool", pool.name(), "need", need.toString(), "capacity", capacity.toString());
      case Denial.DuplicateJob(var job) -> Narration.detail("job", job.toString());
      case Denial.WrongState(var _, var state, var event) ->
          Narration.detail("state", state.name(), "event", event.name());
    };
  }

  private static Map<String, String> numbers(
      String policy, GpuQuantity usage, GpuQuantity need, String bound, GpuQuantity value) {
    return Narration.detail(
        "policy",
        policy,
        "usage",
        usage.toString(),
        "need",
        need.toString(),
        bound,
        value.toString());
  }

  private static Map<String, String> bound(
      String policy, GpuQuantity need, String bound, GpuQuantity value) {
    return Narration.detail("policy", policy, "need", need.toString(), bound, value.toString());
  }

  private static String gpus(GpuQuantity quantity) {
    return quantity
        + (quantity.equals(GpuQuantity.ONE) || quantity.isFraction() ? " GPU" : " GPUs");
  }

  private static String areIdle(GpuQuantity quantity) {
    return quantity + (quantity.equals(GpuQuantity.ONE) || quantity.isFraction() ? " is" : " are");
  }

  private static String amount(Dimension dimension, long value) {
    return switch (dimension) {
      case GPU, DEVICE -> GpuQuantity.format(value);
      case GPU_MEMORY, MEMORY -> value / (1 << 20) + " MiB";
      case CPU -> value / 1000 + (value % 1000 == 0 ? "" : "." + value % 1000 / 100);
      case ISOLATION -> "level " + value;
    };
  }

  private static String name(Dimension dimension) {
    return switch (dimension) {
      case GPU -> "GPUs";
      case DEVICE -> "GPUs together";
      case GPU_MEMORY -> "device memory";
      case CPU -> "CPUs";
      case MEMORY -> "memory";
      case ISOLATION -> "isolation";
    };
  }

  private static String verb(String event) {
    return switch (event) {
      case "REQUEUE" -> "be requeued";
      case "CANCEL" -> "be cancelled";
      default -> "take " + event;
    };
  }
}

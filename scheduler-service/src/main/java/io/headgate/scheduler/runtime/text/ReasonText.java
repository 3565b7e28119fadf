package io.headgate.scheduler.runtime.text;

import io.headgate.scheduler.core.catalog.SpentBudget;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.Dimension;
import io.headgate.scheduler.core.explain.Obstacle;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.explain.ReasonDetail;
import io.headgate.scheduler.core.job.Dependency;
import io.headgate.type.GpuQuantity;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Why a job waits, or may not be, in one sentence and as numbers by name.
public final class ReasonText {
  private ReasonText() {}

  private static String ended(Dependency.Condition condition) {
    return switch (condition) {
      case OK -> "ended with exit code 0";
      case ANY -> "ended";
      case FAIL -> "failed";
    };
  }

  /// One sentence, without the job's name.
  public static String sentence(Reason reason) {
    return switch (reason) {
      case Reason.NeverFits(Denial denial) -> "it can never start: " + sentence(denial);
      case Reason.AfterJobs(var first, int more) ->
          "it starts after %s has %s%s"
              .formatted(
                  first.name(),
                  ended(first.condition()),
                  more == 0
                      ? ""
                      : ", and after " + more + " more" + (more == 1 ? " job" : " jobs"));
      case Reason.NotBefore(var time) ->
          "it starts at %s at the earliest".formatted(time.truncatedTo(ChronoUnit.SECONDS));
      case Reason.QueueClosed(var queue) -> "queue " + queue.name() + " is paused";
      case Reason.Budget(var spent) ->
          spent.effect() == SpentBudget.Effect.YIELD
              ? spent.sentence()
                  + ": the policy reserves nothing, and this job has to stay inside the reservation"
              : spent.sentence();
      case Reason.Limit(var policy, var usage, var need, var limit) ->
          text("%s uses %s of its limit %s, it needs %s", policy.name(), usage, limit, need);
      case Reason.DepartmentLimit(var department, var usage, var need, var limit) ->
          text(
              "department %s uses %s of its limit %s, it needs %s",
              department.name(), usage, limit, need);
      case Reason.DepartmentOverReservationDenied(
              var department,
              var usage,
              var need,
              var reservation) ->
          text(
              "its queue stays inside the reservation: %s of department %s's %s are taken, it needs"
                  + " %s",
              usage, department.name(), reservation, need);
      case Reason.DepartmentNonPreemptible(var department, var usage, var need, var reservation) ->
          text(
              "non-preemptible jobs stay inside the reservation: those of department %s use %s of"
                  + " %s, it needs %s",
              department.name(), usage, reservation, need);
      case Reason.TenantLimit(var tenant, var pool, var usage, var need, var limit) ->
          text(
              "%s uses %s of its limit %s in pool %s, it needs %s",
              tenant, usage, limit, pool.name(), need);
      case Reason.UserLimit(var policy, var user, var usage, var need, var limit) ->
          text(
              "%s uses %s of %s per user in %s, it needs %s",
              user, usage, limit, policy.name(), need);
      case Reason.OverReservationDenied(var policy, var usage, var need, var reservation) ->
          text(
              "its queue stays inside the reservation: %s uses %s of %s, it needs %s",
              policy.name(), usage, reservation, need);
      case Reason.NonPreemptible(var policy, var usage, var need, var reservation) ->
          text(
              "non-preemptible jobs stay inside the reservation: those of %s use %s of %s, it needs"
                  + " %s",
              policy.name(), usage, reservation, need);
      case Reason.TenantOverReservationDenied(
              var tenant,
              var pool,
              var usage,
              var need,
              var reservation) ->
          text(
              "its queue stays inside the reservation: %s of %s's %s in pool %s are taken, it needs"
                  + " %s",
              usage, tenant, reservation, pool.name(), need);
      case Reason.TenantNonPreemptible(
              var tenant,
              var pool,
              var usage,
              var need,
              var reservation) ->
          text(
              "non-preemptible jobs stay inside the tenant's reservation: those of %s use %s of %s"
                  + " in pool %s, it needs %s",
              tenant, usage, reservation, pool.name(), need);
      case Reason.PoolCapacity(var pool, var used, var need, var capacity) ->
          text(
              "pool %s is capped at %s, %s are used, it needs %s",
              pool.name(), capacity, used, need);
      case Reason.Hold(var pool, var need, var _) ->
          text("needs %s in %s, which is held for another job", gpus(need), pool.name());
      case Reason.HeldInLimit(var limit, var held, var _, var until) ->
          until
              .map(at ->
                  text(
                      "%s, and another job holds headroom of %s there until %s",
                      sentence(limit), held, at.truncatedTo(ChronoUnit.SECONDS)))
              .orElseGet(
                  () -> text("%s, and another job holds %s of the limit", sentence(limit), held));
      case Reason.Suspended(var node, var devices, var until) ->
          "it is kept in the memory of %s and goes on there, where it was, when %s %s %s free in its turn; at %s it is stopped instead"
              .formatted(
                  node.name(),
                  devices.size() == 1 ? "device" : "devices",
                  devices.stream().map(String::valueOf).collect(Collectors.joining(", ")),
                  devices.size() == 1 ? "is" : "are",
                  until.truncatedTo(ChronoUnit.SECONDS));
      case Reason.Holding(var pool, var waitsFor, var expectedStart) ->
          text(
              "its place in %s is held; %d attempt%s %s expected to end first%s",
              pool.name(),
              waitsFor.size(),
              waitsFor.size() == 1 ? "" : "s",
              waitsFor.size() == 1 ? "is" : "are",
              expectedStart.map(at -> ", by " + at.truncatedTo(ChronoUnit.SECONDS)).orElse(""));
      case Reason.BackingOff(var node, int rejections, var until) ->
          "%s rejected its attempt (%d in a row); it pauses until %s, and jobs behind it go first"
              .formatted(node.name(), rejections, until.truncatedTo(ChronoUnit.SECONDS));
      case Reason.SetAside(var pool, var need, var node, int nodes, var until) ->
          text(
              "needs %s in %s, where %d node%s rejected jobs and %s set aside; %s gets work again"
                  + " at %s, or with headgate undrain",
              gpus(need),
              pool.name(),
              nodes,
              nodes == 1 ? "" : "s",
              nodes == 1 ? "is" : "are",
              node.name(),
              until.truncatedTo(ChronoUnit.SECONDS));
      case Reason.WaitingForProvider(var pool, var need) ->
          text("needs %s; elastic pool %s was asked for an instance", gpus(need), pool.name());
      case Reason.Capacity(var pool, var need, var idle, var blockedBy) ->
          need.equals(GpuQuantity.ZERO)
              ? "no node of %s has the CPU and memory free that it needs".formatted(pool.name())
              : text(
                  "needs %s in %s, %s idle%s",
                  gpus(need), pool.name(), areIdle(idle), inTheWay(blockedBy));
      case Reason.Fragmentation(var pool, var need, var idle, Dimension dimension, var _)
          when dimension == Dimension.IMAGES ->
          text(
              "needs %s in %s, %s idle, but on nodes that run no jobs with an image",
              gpus(need), pool.name(), areIdle(idle));
      case Reason.Fragmentation(var pool, var need, var idle, var dimension, var blockedBy) ->
          text(
              "needs %s in %s, %s idle but not together (%s)%s",
              gpus(need), pool.name(), areIdle(idle), name(dimension), inTheWay(blockedBy));
      case Reason.WaitingForVictims(var pool, var victims) ->
          text(
              "its place in %s is held; %d attempt%s must leave it first",
              pool.name(), victims.size(), victims.size() == 1 ? "" : "s");
    };
  }

  private static String inTheWay(Optional<Obstacle> obstacle) {
    return obstacle.map(found -> "; in the way: " + found).orElse("");
  }

  /// The numbers by name.
  public static Map<String, String> detail(Reason reason) {
    return ReasonDetail.of(reason);
  }

  /// States the error and, where it helps, a correct value.
  public static String sentence(Denial denial) {
    return switch (denial) {
      case Denial.UnknownQueue(var queue) -> "queue " + queue.name() + " does not exist";
      case Denial.UnknownProfile(var queue, var profile) ->
          text("profile %s of queue %s is not provisioned", profile.name(), queue.name());
      case Denial.UnknownPolicy(var queue, var policy) ->
          text("policy %s of queue %s does not exist", policy.name(), queue.name());
      case Denial.AboveLimit(var policy, var need, var limit) ->
          text("one job needs %s, the limit of %s is %s", gpus(need), policy.name(), limit);
      case Denial.AboveUserLimit(var policy, var user, var need, var limit) ->
          text(
              "one job needs %s, one user of %s gets at most %s (%s)",
              gpus(need), policy.name(), limit, user);
      case Denial.AboveReservation(var policy, var need, var reservation) ->
          text(
              "its queue stays inside the reservation, and one job needs %s of %s's %s",
              gpus(need), policy.name(), reservation);
      case Denial.NonPreemptibleAboveReservation(var policy, var need, var reservation) ->
          text(
              "a non-preemptible job stays inside the reservation, and needs %s of %s's %s",
              gpus(need), policy.name(), reservation);
      case Denial.AboveDepartmentLimit(var department, var need, var limit) ->
          text(
              "one job needs %s, the limit of department %s is %s",
              gpus(need), department.name(), limit);
      case Denial.AboveDepartmentReservation(var department, var need, var reservation) ->
          text(
              "its queue stays inside the reservation, and one job needs %s of department %s's %s",
              gpus(need), department.name(), reservation);
      case Denial.NonPreemptibleAboveDepartmentReservation(
              var department,
              var need,
              var reservation) ->
          text(
              "a non-preemptible job stays inside the reservation, and needs %s of department %s's"
                  + " %s",
              gpus(need), department.name(), reservation);
      case Denial.AboveTenantLimit(var tenant, var pool, var need, var limit) ->
          text(
              "one job needs %s, the limit of %s in pool %s is %s",
              gpus(need), tenant, pool.name(), limit);
      case Denial.NonPreemptibleAboveTenantReservation(
              var tenant,
              var pool,
              var need,
              var reservation) ->
          text(
              "a non-preemptible job stays inside its tenant's reservation, and needs %s of %s's %s"
                  + " in pool %s",
              gpus(need), tenant, reservation, pool.name());
      case Denial.NoPool(var profile, var policy) ->
          text("profile %s has no pool that %s may use", profile.name(), policy.name());
      case Denial.NoNodeFits(var profile, var pool, Dimension dimension, long _, long _)
          when dimension == Dimension.IMAGES ->
          text(
              "no node of %s that is large enough for profile %s runs jobs with an image; its"
                  + " agent's log says why",
              pool.name(), profile.name());
      case Denial.NoNodeFits(var profile, var pool, var dimension, long asked, long most) ->
          text(
              "no node is large enough for profile %s; the nearest, in %s, has %s of the %s %s it"
                  + " needs",
              profile.name(),
              pool.name(),
              ReasonDetail.amount(dimension, most),
              ReasonDetail.amount(dimension, asked),
              name(dimension));
      case Denial.AbovePoolCapacity(var pool, var need, var capacity) ->
          text("one job needs %s, pool %s is capped at %s", gpus(need), pool.name(), capacity);
      case Denial.DuplicateJob(var job) -> "a job with the internal id " + job + " exists";
      case Denial.WrongState(var _, var state, var event) ->
          text("a job that is %s cannot %s", state, verb(event.name()));
    };
  }

  /// The numbers by name.
  public static Map<String, String> detail(Denial denial) {
    return ReasonDetail.of(denial);
  }

  /// Fills in quantities as people read them.
  private static String text(String form, Object... parts) {
    return form.formatted(
        Arrays.stream(parts)
            .map(part -> part instanceof GpuQuantity quantity ? quantity.mixed() : part)
            .toArray());
  }

  private static String gpus(GpuQuantity quantity) {
    return quantity.mixed()
        + (quantity.equals(GpuQuantity.ONE) || quantity.isFraction() ? " GPU" : " GPUs");
  }

  private static String areIdle(GpuQuantity quantity) {
    return quantity.mixed()
        + (quantity.equals(GpuQuantity.ONE) || quantity.isFraction() ? " is" : " are");
  }

  private static String name(Dimension dimension) {
    return switch (dimension) {
      case GPU -> "GPUs";
      case DEVICE -> "GPUs together";
      case GEOMETRY -> "places for a slice of its size";
      case GPU_MODEL -> "GPUs of its models";
      case GPU_MEMORY -> "device memory";
      case CPU -> "CPUs";
      case MEMORY -> "memory";
      case ISOLATION -> "isolation";
      case IMAGES -> "nodes that run jobs with an image";
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

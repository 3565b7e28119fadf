package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Reference.gpus;
import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.Explanation;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The report of every waiting job, not only the first of its kind: its position, the reason that
/// it shares with the first, and why it never fits.
final class WaitingCheck {
  private final Reference rules;
  private final SchedulerCore core;

  WaitingCheck(Reference rules, SchedulerCore core) {
    this.rules = rules;
    this.core = core;
  }

  void check() {
    Map<QueueId, List<Job>> lines = new LinkedHashMap<>();
    for (Job job : rules.shadow.live()) {
      if (job.state() == JobState.WAITING) {
        lines.computeIfAbsent(job.spec().queue(), key -> new ArrayList<>()).add(job);
      }
    }
    rules.shadow.gated().forEach(this::requireGate);
    for (List<Job> line : lines.values()) {
      line.sort((one, other) -> rules.turns.isAhead(one, other) ? -1 : 1);
      for (int i = 0; i < line.size(); i++) {
        requirePosition(line.get(i), new Explanation.Position(i + 1, line.size()));
      }
      for (Job job : line) {
        requireReason(job);
      }
    }
  }

  /// A job behind its gate is no candidate, and stays behind it exactly until nothing is left to
  /// wait for.
  private void requireGate(Job job) {
    Optional<Reason> reason = core.reason(job.id());
    require(core.position(job.id()).isEmpty(), "a gated job has no position", job);
    require(
        reason.stream()
            .anyMatch(each -> each instanceof Reason.AfterJobs || each instanceof Reason.NotBefore),
        "a gated job says what it waits for",
        job,
        reason);
    require(!job.gate().isOpen(rules.now), "a gate opens in time", job);
    require(
        job.gate().after().stream()
            .map(dependency -> rules.shadow.jobs.get(dependency.on()))
            .noneMatch(other -> other == null || other.state().isTerminal()),
        "a gated job waits only for jobs that can still end",
        job);
    require(
        !rules.shadow.holds.containsKey(job.id()) && job.headroom().isEmpty(),
        "a gated job holds nothing",
        job);
  }

  private void requirePosition(Job job, Explanation.Position position) {
    require(
        core.position(job.id()).equals(Optional.of(position)),
        "a position is never wrong",
        job,
        core.position(job.id()),
        position);
  }

  private void requireReason(Job job) {
    Optional<Reason> reason = core.reason(job.id());
    require(reason.isPresent(), "every waiting job has a reason", job);
    if (rules.shadow.backedOff.contains(job.id())) {
      require(reason.get() instanceof Reason.BackingOff, "a pausing job says so", job, reason);
    } else if (!rules.isHeldFor(job)) {
      Job first = rules.headOf(job);
      require(
          reason.equals(core.reason(first.id())),
          "jobs that rules do not tell apart wait for the same reason",
          job,
          reason,
          first);
    }
    if (reason.get() instanceof Reason.NeverFits(var denial)) {
      require(isTrue(denial, job), "why a job never fits is never wrong", job, denial);
    }
  }

  private boolean isTrue(Denial denial, Job job) {
    GpuQuantity need = rules.shadow.queue(job.spec().queue()).isPresent() ? need(job) : gpus(0);
    return switch (denial) {
      case Denial.UnknownQueue(var queue) -> rules.queue(queue).isEmpty();
      case Denial.UnknownProfile(var _, var profile) -> rules.shadow.profile(profile).isEmpty();
      case Denial.UnknownPolicy(var _, var policy) -> rules.shadow.policy(policy).isEmpty();
      case Denial.AboveLimit(var policy, var asked, var limit) ->
          isOf(job, policy)
              && asked.equals(need)
              && limit.equals(rules.policy(job).limit())
              && need.compareTo(limit) > 0;
      case Denial.AboveUserLimit(var policy, var user, var asked, var limit) ->
          isOf(job, policy)
              && user.equals(job.spec().user())
              && asked.equals(need)
              && rules.policy(job).perUserLimit().equals(Optional.of(limit))
              && need.compareTo(limit) > 0;
      case Denial.AboveReservation(var policy, var asked, var reservation) ->
          isOf(job, policy)
              && !rules.queue(job).overReservation()
              && asked.equals(need)
              && reservation.equals(rules.policy(job).reservation())
              && need.compareTo(reservation) > 0;
      case Denial.NonPreemptibleAboveReservation(var policy, var asked, var reservation) ->
          isOf(job, policy)
              && !rules.preemptible(job)
              && asked.equals(need)
              && reservation.equals(rules.policy(job).reservation())
              && need.compareTo(reservation) > 0;
      case Denial.AboveDepartmentLimit(var department, var asked, var limit) ->
          asked.equals(need)
              && department(job, department).flatMap(Department::limit).equals(Optional.of(limit))
              && need.compareTo(limit) > 0;
      case Denial.AboveDepartmentReservation(var department, var asked, var reservation) ->
          !rules.queue(job).overReservation()
              && asked.equals(need)
              && isReservation(job, department, reservation)
              && need.compareTo(reservation) > 0;
      case Denial.NonPreemptibleAboveDepartmentReservation(
              var department,
              var asked,
              var reservation) ->
          !rules.preemptible(job)
              && asked.equals(need)
              && isReservation(job, department, reservation)
              && need.compareTo(reservation) > 0;
      case Denial.NoPool(var _, var policy) -> isOf(job, policy) && rules.routes(job).isEmpty();
      case Denial.NoNodeFits(var profile, var pool, var _, var asked, var most) ->
          profile.equals(rules.profile(job).id())
              && route(job, pool).isPresent()
              && asked > most
              && rules.routes(job).stream()
                  .noneMatch(one -> rules.space.everFits(one, rules.profile(job)));
      case Denial.AbovePoolCapacity(var pool, var asked, var capacity) ->
          asked.equals(need)
              && route(job, pool).flatMap(Pool::capacity).equals(Optional.of(capacity))
              && need.compareTo(capacity) > 0;
      case Denial.AboveTenantLimit _,
          Denial.NonPreemptibleAboveTenantReservation _,
          Denial.DuplicateJob _,
          Denial.WrongState _ ->
          false;
    };
  }

  private Optional<Department> department(Job job, DepartmentId id) {
    return rules.departmentsOf(job).stream().filter(each -> each.id().equals(id)).findAny();
  }

  private boolean isReservation(Job job, DepartmentId id, GpuQuantity units) {
    return department(job, id)
        .map(rules.departments::reservation)
        .equals(Optional.of(units.units()));
  }

  private GpuQuantity need(Job job) {
    Queue queue = rules.queue(job);
    return rules.shadow.profile(queue.profile()).map(Profile::need).orElse(gpus(0));
  }

  private boolean isOf(Job job, PolicyId policy) {
    return rules.policy(job).id().equals(policy);
  }

  private Optional<Pool> route(Job job, PoolId pool) {
    return rules.routes(job).stream().filter(one -> one.id().equals(pool)).findFirst();
  }
}

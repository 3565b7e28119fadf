package io.headgate.scheduler.grpc;

import com.google.protobuf.Duration;
import io.headgate.proto.pool.v1.Warning;
import io.headgate.proto.scheduler.v1.PlanConfigurationResponse;
import io.headgate.proto.scheduler.v1.PlannedJob;
import io.headgate.proto.scheduler.v1.PlannedJobs;
import io.headgate.proto.scheduler.v1.PlannedPolicy;
import io.headgate.proto.scheduler.v1.PolicyOutlook;
import io.headgate.proto.scheduler.v1.Preemption;
import io.headgate.proto.scheduler.v1.Reason;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.simulation.AffectedJobs;
import io.headgate.scheduler.simulation.ChangeWarning;
import io.headgate.scheduler.simulation.PolicyForecast;
import io.headgate.scheduler.simulation.SimulationEvent;
import io.headgate.scheduler.simulation.WhatIf;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Consequences of a change in the form of the contract.
final class PlanMapper {
  private static final String OF_OTHERS = "another tenant's job";
  private static final int NAMED_QUEUES = 5;

  private PlanMapper() {}

  /// The job's name in the simulation: its id for the tenant's own jobs, the full name for others.
  /// A full name contains `/` and an id never does, so the two cannot collide.
  static String name(TenantId tenant, JobRecord job) {
    return job.tenant().equals(tenant) ? job.name().id() : job.name().toString();
  }

  /// Hides the names of other tenants' jobs.
  private static String shown(String name) {
    return name.contains("/") ? OF_OTHERS : name;
  }

  static PlanConfigurationResponse toResponse(WhatIf.Answer answer, WhatIf.NotAdmitted lost) {
    Set<String> notAdmitted = new HashSet<>(lost.waiting());
    notAdmitted.addAll(lost.runningAfter());
    PlanConfigurationResponse.Builder response =
        PlanConfigurationResponse.newBuilder()
            .setStarts(jobs(answer.starts(), PlanMapper::start))
            .setPreempts(jobs(answer.preempts(), PlanMapper::preempt))
            .setWaits(jobs(answer.waits(), PlanMapper::wait))
            .setDrafts(
                jobs(answer.drafts(), draft -> draft(draft, notAdmitted.contains(draft.job()))));
    answer.knownUntil().map(known -> millis(known.toMillis())).ifPresent(response::setKnownAhead);
    answer.warnings().forEach(warning -> response.addWarnings(warning(warning)));
    for (WhatIf.PolicyChange policy : answer.policies()) {
      PlannedPolicy.Builder planned = PlannedPolicy.newBuilder().setPolicy(policy.name());
      policy.before().map(PlanMapper::outlook).ifPresent(planned::setBefore);
      policy.after().map(PlanMapper::outlook).ifPresent(planned::setAfter);
      response.addPolicies(planned);
    }
    return response.build();
  }

  private static Warning warning(ChangeWarning warning) {
    return switch (warning) {
      case ChangeWarning.DedicatedInUse(var pool, var owner, var jobs, var queues) ->
          warning(
              "DEDICATED_IN_USE",
              "pools[" + pool.name() + "].dedicated_to",
              "pool '%s' is for policy '%s' alone now; %s%s"
                  .formatted(
                      pool.name(),
                      owner.name(),
                      jobs == 0
                          ? ""
                          : jobs(jobs) + " of other policies there run on to their end; ",
                      queues.isEmpty()
                          ? "no other queue uses it"
                          : "lost to queues " + names(queues)));
      case ChangeWarning.QueueWithoutPool(var queue, var pool, var owner) ->
          warning(
              "QUEUE_WITHOUT_POOL",
              "queues[" + queue.name() + "]",
              "no job of queue '%s' starts: its pools are dedicated to others, '%s' to policy '%s'"
                  .formatted(queue.name(), pool.name(), owner.name()));
      case ChangeWarning.PolicyInUse(var policy, var jobs) ->
          warning(
              "POLICY_IN_USE",
              "policies[" + policy.name() + "]",
              "policy '%s' is removed; %s of it run on without a reservation, and become drafts if they are preempted"
                  .formatted(policy.name(), jobs(jobs)));
    };
  }

  private static Warning warning(String reason, String field, String message) {
    return Warning.newBuilder().setReason(reason).setField(field).setMessage(message).build();
  }

  private static String jobs(int count) {
    return count == 1 ? "1 job" : count + " jobs";
  }

  /// The first five names, and how many more.
  private static String names(List<QueueId> queues) {
    String first =
        queues.stream().limit(NAMED_QUEUES).map(QueueId::name).collect(Collectors.joining(", "));
    int more = queues.size() - NAMED_QUEUES;
    return more > 0 ? first + " and " + more + " more" : first;
  }

  private static <E> PlannedJobs jobs(AffectedJobs<E> jobs, Function<E, PlannedJob> mapper) {
    return PlannedJobs.newBuilder()
        .addAllJobs(jobs.named().stream().map(mapper).toList())
        .setTotal(jobs.count())
        .setOtherTenants(jobs.ofOthers())
        .build();
  }

  private static PlannedJob start(SimulationEvent.Start start) {
    return PlannedJob.newBuilder()
        .setJob(start.job())
        .setPool(start.place().pool().name())
        .addAllPlacements(JobMapper.toPlacements(start.place().workers()))
        .build();
  }

  private static PlannedJob preempt(SimulationEvent.Preempt preempt) {
    return PlannedJob.newBuilder()
        .setJob(preempt.job())
        .setPreemption(
            Preemption.newBuilder().setByJob(shown(preempt.by())).setRule(preempt.rule()))
        .build();
  }

  private static PlannedJob wait(SimulationEvent.Wait wait) {
    Reason.Builder reason = Reason.newBuilder().setCode(wait.reason());
    wait.detail().forEach((key, value) -> reason.putDetail(key, shownDetail(key, value)));
    return PlannedJob.newBuilder()
        .setJob(wait.job())
        .setReason(reason.setMessage(wait.text(PlanMapper::shownDetail)))
        .build();
  }

  /// Only the holder in a reason's numbers can be a job of another tenant.
  private static String shownDetail(String key, String value) {
    return key.equals("holder") ? shown(value) : value;
  }

  private static PlannedJob draft(SimulationEvent.Draft draft, boolean isNotAdmitted) {
    Reason reason =
        isNotAdmitted
            ? Reason.newBuilder()
                .setCode("NOT_ADMITTED")
                .setMessage("its submitter may no longer use the queue")
                .build()
            : Reason.newBuilder()
                .setCode("QUEUE_REMOVED")
                .setMessage(SimulationEvent.Draft.CAUSE)
                .build();
    return PlannedJob.newBuilder().setJob(draft.job()).setReason(reason).build();
  }

  private static PolicyOutlook outlook(PolicyForecast outlook) {
    PolicyOutlook.Builder message =
        PolicyOutlook.newBuilder()
            .setUsage(outlook.usage().toString())
            .setReservation(outlook.reservation().toString())
            .setLimit(outlook.limit().toString())
            .setWaitingJobs(outlook.waiting())
            .setAwaitedJobs(outlook.expected().jobs());
    outlook.expected().p50Ms().ifPresent(ms -> message.setWaitP50(millis(ms)));
    outlook.expected().p99Ms().ifPresent(ms -> message.setWaitP99(millis(ms)));
    return message.build();
  }

  private static Duration millis(long ms) {
    return Duration.newBuilder()
        .setSeconds(Math.floorDiv(ms, 1000))
        .setNanos(Math.floorMod(ms, 1000) * 1_000_000)
        .build();
  }
}

package io.headgate.sdk.wire;

import io.headgate.proto.scheduler.v1.PlanConfigurationResponse;
import io.headgate.proto.scheduler.v1.PlannedJobs;
import io.headgate.sdk.model.PlanEffects;
import io.headgate.sdk.model.PlanEffects.Jobs;
import io.headgate.sdk.model.PlanEffects.PlannedJob;
import io.headgate.sdk.model.PlanEffects.PolicyChange;
import io.headgate.sdk.model.PlanEffects.PolicyOutlook;
import io.headgate.sdk.model.Warning;

/// Maps the messages of a plan's effects to records.
final class EffectMessages {
  private EffectMessages() {}

  static PlanEffects effects(PlanConfigurationResponse response) {
    return new PlanEffects(
        jobs(response.getStarts()),
        jobs(response.getPreempts()),
        jobs(response.getWaits()),
        jobs(response.getDrafts()),
        response.getPoliciesList().stream()
            .map(policy ->
                new PolicyChange(
                    policy.getPolicy(),
                    policy.hasBefore() ? outlook(policy.getBefore()) : null,
                    policy.hasAfter() ? outlook(policy.getAfter()) : null))
            .toList(),
        response.getWarningsList().stream()
            .map(warning ->
                new Warning(warning.getReason(), warning.getMessage(), warning.getField()))
            .toList(),
        JobMessages.duration(response.hasKnownAhead(), response.getKnownAhead()));
  }

  private static Jobs jobs(PlannedJobs jobs) {
    return new Jobs(
        jobs.getJobsList().stream()
            .map(job ->
                new PlannedJob(
                    job.getJob(),
                    job.getPool(),
                    job.getPlacementsList().stream().map(JobMessages::placement).toList(),
                    job.hasPreemption() ? JobMessages.preemption(job.getPreemption()) : null,
                    job.hasReason() ? JobMessages.reason(job.getReason()) : null))
            .toList(),
        jobs.getTotal(),
        jobs.getOtherTenants());
  }

  private static PolicyOutlook outlook(io.headgate.proto.scheduler.v1.PolicyOutlook outlook) {
    return new PolicyOutlook(
        ValueMessages.gpus(outlook.getUsage()),
        ValueMessages.gpus(outlook.getReservation()),
        ValueMessages.gpus(outlook.getLimit()),
        outlook.getWaitingJobs(),
        outlook.getAwaitedJobs(),
        JobMessages.duration(outlook.hasWaitP50(), outlook.getWaitP50()),
        JobMessages.duration(outlook.hasWaitP99(), outlook.getWaitP99()));
  }
}

package io.headgate.scheduler.grpc;

import io.headgate.kit.config.Durations;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.UpdateJobRequest;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Changes of a waiting job.
///
/// @param maxRuntime absent: unchanged; zero: no limit from now on
/// @param queue id of another queue; empty: unchanged
record JobUpdate(Optional<Integer> priority, Optional<Duration> maxRuntime, String queue) {
  static JobUpdate of(UpdateJobRequest request) {
    JobUpdate update =
        new JobUpdate(
            request.hasPriority() ? Optional.of(request.getPriority()) : Optional.empty(),
            request.hasMaxRuntime()
                ? Optional.of(ProtoTimes.duration(request.getMaxRuntime()))
                : Optional.empty(),
            request.getQueue());
    if (update.priority.isEmpty() && update.maxRuntime.isEmpty() && update.queue.isEmpty()) {
      throw Refusal.invalid(
              "NOTHING_TO_UPDATE", "name what to change: priority, max_runtime or queue")
          .exception();
    }
    update
        .maxRuntime
        .filter(time -> time.isNegative() || time.compareTo(SpecRules.LONGEST_RUNTIME) > 0)
        .ifPresent(time -> {
          throw Refusal.invalidField(
                  "INVALID_SPEC",
                  "max_runtime",
                  "%s is not between 0s, which is no limit, and %s"
                      .formatted(
                          Durations.format(time), Durations.format(SpecRules.LONGEST_RUNTIME)))
              .exception();
        });
    return update;
  }

  /// The queue of the job from then on.
  QueueId queue(JobRecord job) {
    return queue.isEmpty() ? job.job().spec().queue() : new QueueId(job.tenant(), queue);
  }

  io.headgate.scheduler.core.job.JobSpec applied(JobRecord job) {
    var spec = job.job().spec();
    return spec.with()
        .queue(queue(job))
        .priority(priority.orElse(spec.priority()))
        .maxRuntime(
            maxRuntime.isPresent() ? maxRuntime.filter(time -> !time.isZero()) : spec.maxRuntime())
        .build();
  }

  Document applied(JobSpec spec) {
    return Document.of(spec(spec).toByteArray());
  }

  /// The specification with all changes.
  JobSpec spec(JobSpec before) {
    JobSpec.Builder changed = before.toBuilder();
    priority.ifPresent(changed::setPriority);
    maxRuntime.ifPresent(time -> {
      if (time.isZero()) {
        changed.clearMaxRuntime();
      } else {
        changed.setMaxRuntime(ProtoTimes.toProto(time));
      }
    });
    if (!queue.isEmpty()) {
      changed.setQueue(queue);
    }
    return changed.build();
  }

  /// For people: ` by ada: priority 5, queue half`.
  String text(String by) {
    List<String> changes = new ArrayList<>();
    priority.ifPresent(value -> changes.add("priority " + value));
    maxRuntime.ifPresent(time ->
        changes.add("max runtime " + (time.isZero() ? "unlimited" : Durations.format(time))));
    if (!queue.isEmpty()) {
      changes.add("queue " + queue);
    }
    return " by " + by + ": " + String.join(", ", changes);
  }
}

package io.headgate.scheduler.store;

import io.headgate.scheduler.core.job.AttemptEnding;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import java.util.Optional;

/// A stop's cause as columns of the table `attempt`.
///
/// @param cause name of the kind
/// @param by id of the job that takes the slices
/// @param grounds as [GroundsRow] has them
/// @param worker of a gang that ended first
/// @param ending how it did: `exited 3`, `stopped`, `rejected TEXT`, `lost`
record StopRow(
    String cause,
    Optional<Long> by,
    Optional<String> rule,
    Optional<String> grounds,
    Optional<Integer> worker,
    Optional<String> ending) {
  private static final String EXITED = "exited ";
  private static final String REJECTED = "rejected ";

  static StopRow of(StopOrder order) {
    return switch (order.cause()) {
      case StopCause.Preempted(JobId by, PreemptionRule rule, PreemptionGrounds grounds) ->
          new StopRow(
              "PREEMPTED",
              Optional.of(by.value()),
              Optional.of(rule.name()),
              Optional.of(GroundsRow.text(grounds)),
              Optional.empty(),
              Optional.empty());
      case StopCause.Cancelled() -> plain("CANCELLED");
      case StopCause.Requeued() -> plain("REQUEUED");
      case StopCause.SuspensionOver() -> plain("SUSPENSION_OVER");
      case StopCause.WorkerEnded(int worker, AttemptEnding ending) ->
          new StopRow(
              "WORKER_ENDED",
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.of(worker),
              Optional.of(text(ending)));
    };
  }

  StopCause toCause() {
    return switch (cause) {
      case "PREEMPTED" ->
          new StopCause.Preempted(
              new JobId(by.orElseThrow()),
              PreemptionRule.valueOf(rule.orElseThrow()),
              GroundsRow.grounds(grounds.orElseThrow()));
      case "CANCELLED" -> new StopCause.Cancelled();
      case "REQUEUED" -> new StopCause.Requeued();
      case "SUSPENSION_OVER" -> new StopCause.SuspensionOver();
      case "WORKER_ENDED" ->
          new StopCause.WorkerEnded(worker.orElseThrow(), ending(ending.orElseThrow()));
      default -> throw new IllegalStateException("unknown cause of a stop: " + cause);
    };
  }

  private static StopRow plain(String cause) {
    return new StopRow(
        cause,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static String text(AttemptEnding ending) {
    return switch (ending) {
      case AttemptEnding.Exited(int code) -> EXITED + code;
      case AttemptEnding.Stopped() -> "stopped";
      case AttemptEnding.Rejected(String reason) -> REJECTED + reason;
      case AttemptEnding.Lost() -> "lost";
    };
  }

  private static AttemptEnding ending(String text) {
    if (text.startsWith(EXITED)) {
      return new AttemptEnding.Exited(Integer.parseInt(text.substring(EXITED.length())));
    }
    if (text.startsWith(REJECTED)) {
      return new AttemptEnding.Rejected(text.substring(REJECTED.length()));
    }
    return switch (text) {
      case "stopped" -> new AttemptEnding.Stopped();
      case "lost" -> new AttemptEnding.Lost();
      default -> throw new IllegalStateException("unknown ending of a worker: " + text);
    };
  }
}

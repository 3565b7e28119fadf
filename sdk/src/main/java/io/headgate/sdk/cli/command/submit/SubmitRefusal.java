package io.headgate.sdk.cli.command.submit;

import io.headgate.sdk.cli.command.shared.RequestFieldFlags;
import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ErrorFrames;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.type.NearestName;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Translates a refused submission: flags instead of fields, and the nearest existing queue.
record SubmitRefusal(Invocation invocation, String queue, String requestId) {
  private static final RequestFieldFlags FLAGS =
      new RequestFieldFlags(
          Map.ofEntries(
              Map.entry("spec.queue", "--queue"),
              Map.entry("spec.command", "CMD"),
              Map.entry("spec.environment", "--env"),
              Map.entry("spec.working_directory", "--workdir"),
              Map.entry("spec.container", "--image"),
              Map.entry("spec.container.image", "--image"),
              Map.entry("spec.max_runtime", "--max-runtime"),
              Map.entry("spec.suspend", "--suspend"),
              Map.entry("spec.priority", "--priority"),
              Map.entry("spec.abort_callback.timeout", "--abort-timeout"),
              Map.entry("spec.abort_callback.command", "--on-abort"),
              Map.entry("spec.termination_grace", "--grace"),
              Map.entry("spec.labels", "--label"),
              Map.entry("spec.after", "--after"),
              Map.entry("spec.array", "--array"),
              Map.entry("spec.not_before", "--not-before"),
              Map.entry("job_id", "--id"),
              Map.entry("id_prefix", "--name"),
              Map.entry("request_id", "--request-id")));

  CliFailure of(HeadgateException refusal, int exitCode) {
    ErrorFrame frame = ErrorFrames.of(refusal, invocation.session().server());
    String reason = refusal.reason();
    if (reason.equals("QUEUE_NOT_FOUND") || reason.equals("NOT_ADMITTED")) {
      frame = frame.where("--queue " + queue).next(List.of(queues()));
    } else if (mayHaveArrived(refusal)) {
      frame =
          frame.next(
              List.of(
                  "running jobs continue. Repeat the command with the same request id:"
                      + " --request-id "
                      + requestId));
    } else {
      frame = FLAGS.in(frame, refusal);
    }
    return new CliFailure(List.of(frame), exitCode, null);
  }

  /// A connection that was refused carried no request, so its usual hints hold.
  private static boolean mayHaveArrived(HeadgateException refusal) {
    return switch (refusal.code()) {
      case DEADLINE_EXCEEDED -> true;
      case UNAVAILABLE -> !refusal.failure().message().startsWith("nothing listens at");
      default -> false;
    };
  }

  private String queues() {
    String all = "your queues: headgate queues";
    return nearest().map(name -> "did you mean " + name + "?   " + all).orElse(all);
  }

  private Optional<String> nearest() {
    try {
      return NearestName.find(queue, invocation.session().identity().whoAmI().getQueuesList());
    } catch (HeadgateException e) {
      return Optional.empty(); // A failed lookup only loses the suggestion, so it is ignored.
    }
  }
}

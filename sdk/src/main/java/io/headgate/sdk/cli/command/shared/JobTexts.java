package io.headgate.sdk.cli.command.shared;

import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.PrintableText;
import io.headgate.sdk.cli.output.Style;
import io.headgate.sdk.cli.output.TimeText;
import io.headgate.sdk.config.EnglishText;
import io.headgate.sdk.model.Attempt;
import io.headgate.sdk.model.Attempt.Preemption;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Placement;
import io.headgate.sdk.model.Placement.Slice;
import io.headgate.sdk.model.Reason;
import io.headgate.sdk.model.UsageKind;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Job states as text: `RUNNING`, `gpu-03:1 (onprem) over reservation`, `USER_LIMIT ada uses 6 of
/// 6`.
public final class JobTexts {
  /// For this reason the expected start is an upper bound, not an estimate.
  private static final String HOLDING = "HOLDING";

  /// Reasons of arrays that say no more than how their elements stand.
  private static final Set<String> OF_ELEMENTS = Set.of("ELEMENTS", "MAX_PARALLEL");

  private JobTexts() {}

  public static Cell state(Job job) {
    String text =
        job.state() == JobState.WAITING && job.position() > 0
            ? "WAITING " + job.position()
            : job.state().name();
    return Cell.of(style(job.state()), text);
  }

  public static Style style(JobState state) {
    return switch (state) {
      case RUNNING, DONE -> Style.GOOD;
      case WAITING, ASSIGNED, STOPPING, SUSPENDED -> Style.WAITING;
      case FAILED, LOST -> Style.BAD;
      case DRAFT, CANCELLED, UNKNOWN -> Style.DIM;
    };
  }

  /// `running: on gpu-03:1 (onprem)`, `failed: exit 7`.
  public static String stands(Job job) {
    String more = PrintableText.line(whereOrReason(job));
    String state = job.state().name().toLowerCase(Locale.ROOT);
    return more.isEmpty() ? state : state + ": " + more;
  }

  /// The place of a running job, the reason of a waiting one, or the end of a finished one.
  public static String whereOrReason(Job job) {
    Job.ArrayProgress progress = job.arrayProgress();
    if (progress != null) {
      String why = why(job);
      return elements(progress, job.state()) + (why.isEmpty() ? "" : ": " + why);
    }
    return switch (job.state()) {
      case WAITING, SUSPENDED, DRAFT, UNKNOWN -> {
        Reason reason = job.reason();
        yield reason == null ? "" : reason(reason);
      }
      case ASSIGNED, RUNNING -> where(job);
      case STOPPING -> stopping(job);
      case DONE, FAILED, CANCELLED, LOST -> ending(job);
    };
  }

  /// `1 failed, 12 done, 5 run, 32 wait`. Failures come first, because a narrow terminal cuts the
  /// end.
  public static String elements(Job.ArrayProgress progress, JobState state) {
    List<String> parts = new ArrayList<>();
    count(parts, progress.failed(), "failed");
    count(parts, progress.done(), "done");
    count(parts, progress.cancelled(), "cancelled");
    count(parts, progress.active(), progress.active() == 1 ? "runs" : "run");
    int waiting = progress.waiting() + (state.isFinal() ? 0 : progress.notStarted());
    count(parts, waiting, waiting == 1 ? "waits" : "wait");
    count(parts, state.isFinal() ? progress.notStarted() : 0, "never started");
    return String.join(", ", parts);
  }

  private static void count(List<String> parts, int elements, String how) {
    if (elements > 0) {
      parts.add("%,d %s".formatted(elements, how));
    }
  }

  /// Why the array waits or was cancelled, unless its numbers say it.
  private static String why(Job array) {
    Reason reason = array.reason();
    if (reason == null || OF_ELEMENTS.contains(reason.code())) {
      return "";
    }
    return array.state() == JobState.CANCELLED ? reason.message() : reason(reason);
  }

  /// `50 elements, at most 5 at a time`.
  public static String array(JobSpec.Array array) {
    return EnglishText.count(array.size(), "element")
        + (array.maxParallel() == 0 || array.maxParallel() == array.size()
            ? ""
            : ", at most " + array.maxParallel() + " at a time");
  }

  public static String reason(Reason reason) {
    return reason.message().startsWith(reason.code())
        ? reason.message()
        : reason.code() + " " + reason.message();
  }

  private static String where(Job job) {
    StringBuilder text = new StringBuilder(place(job));
    if (job.simulated()) {
      text.append(" SIMULATED"); // Early in the line, because a narrow terminal cuts its end.
    }
    job.currentAttempt().ifPresent(attempt -> text.append(" (").append(attempt.pool()).append(')'));
    if (job.usageKind() == UsageKind.OVER_RESERVATION) {
      text.append(" over reservation");
    } else if (job.usageKind() == UsageKind.ABOVE_LIMIT) {
      text.append(" above the limit");
    }
    return text.toString();
  }

  private static String stopping(Job job) {
    String why =
        job.reason() != null
            ? "cancelled " + job.reason().message()
            : preemption(job).orElse("asked to stop");
    return place(job) + " " + why;
  }

  public static String preemption(Preemption preemption) {
    String by = preemption.byJob().isEmpty() ? "" : " by " + preemption.byJob();
    return "preempted" + by + (preemption.rule().isEmpty() ? "" : " (" + preemption.rule() + ")");
  }

  private static Optional<String> preemption(Job job) {
    return job.currentAttempt().map(Attempt::preemption).map(JobTexts::preemption);
  }

  private static String ending(Job job) {
    if (job.state() == JobState.CANCELLED) {
      return job.reason() != null ? job.reason().message() : preemption(job).orElse("");
    }
    String error = job.currentAttempt().map(Attempt::error).orElse(null);
    if (error != null) {
      return error;
    }
    Integer exitCode = job.exitCode();
    return exitCode == null ? "" : "exit " + exitCode;
  }

  public static String place(Job job) {
    return job.currentAttempt().map(attempt -> place(attempt.placements())).orElse("");
  }

  /// `gpu-03:1`, `a-0:3-5`; for a gang the first place and the number of further ones.
  public static String place(List<Placement> placements) {
    if (placements.isEmpty()) {
      return "";
    }
    Placement first = placements.getFirst();
    String devices = devices(first.slices());
    String text = devices.isEmpty() ? first.node() : first.node() + ":" + devices;
    return placements.size() == 1 ? text : text + " +" + (placements.size() - 1) + " more";
  }

  /// `0`, `3-5`, `0,2`.
  public static String devices(List<Slice> slices) {
    List<Integer> indices = slices.stream().map(Slice::deviceIndex).sorted().distinct().toList();
    List<String> runs = new ArrayList<>();
    int i = 0;
    while (i < indices.size()) {
      int end = i;
      while (end + 1 < indices.size() && indices.get(end + 1) == indices.get(end) + 1) {
        end++;
      }
      runs.add(end == i ? "" + indices.get(i) : indices.get(i) + "-" + indices.get(end));
      i = end + 1;
    }
    return String.join(",", runs);
  }

  /// `40%`, `33.3%`. Rounds down, so that unfinished work never shows 100%.
  public static String percent(double fraction) {
    return BigDecimal.valueOf(fraction)
            .movePointRight(2)
            .setScale(1, RoundingMode.FLOOR)
            .stripTrailingZeros()
            .toPlainString()
        + "%";
  }

  /// `14:32` is an estimate, `<= 15:10` a bound.
  public static String start(Job job, TimeText times) {
    if (job.expectedStartTime() == null) {
      return TimeText.NONE;
    }
    Reason reason = job.reason();
    boolean bound = reason != null && reason.code().equals(HOLDING);
    return (bound ? "<= " : "") + times.at(job.expectedStartTime());
  }
}

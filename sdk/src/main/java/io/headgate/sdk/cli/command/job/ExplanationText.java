package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.command.shared.JobTexts;
import io.headgate.sdk.cli.output.CellWidth;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.cli.output.PrintableText;
import io.headgate.sdk.cli.output.Style;
import io.headgate.sdk.model.Attempt;
import io.headgate.sdk.model.Event;
import io.headgate.sdk.model.Explanation;
import io.headgate.sdk.model.Explanation.Check;
import io.headgate.sdk.model.Explanation.Result;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// An explanation as text: the verdict, the checks in the order of the rules, the jobs ahead, what
/// would start the job, and its history.
public record ExplanationText(Output output) {
  private static final int SUBJECT_WIDTH = 12;
  private static final int RESULT_WIDTH = 5;

  public List<String> lines(Explanation explanation) {
    return lines(explanation, List.of());
  }

  /// @param words the last lines of its output
  List<String> lines(Explanation explanation, List<String> words) {
    List<String> lines = new ArrayList<>();
    explanation
        .verdict()
        .lines()
        .forEach(line -> lines.add(output.paint().paint(Style.BOLD, sentence(line))));
    why(explanation.job()).ifPresent(lines::add);
    lines.addAll(words);
    lines.add("");
    checks("May it start?", explanation.startChecks(), lines, true);
    boolean waits = explanation.job().state() == JobState.WAITING;
    // For a running job, the order rules decide whether it may be preempted.
    checks(
        waits ? "Why does it not preempt?" : "May it be preempted?",
        explanation.preemptionChecks(),
        lines,
        waits);
    if (waits) {
      order(explanation, lines);
    }
    if (waits && explanation.job().expectedStartTime() != null) {
      lines.add(output.bold("When?"));
      lines.add(
          "  it starts "
              + JobTexts.start(explanation.job(), output.times())
              + " ("
              + output.times().until(explanation.job().expectedStartTime())
              + ")");
    }
    unblocking(explanation.unblocking(), lines);
    events("What made room for it?", explanation.preemptions(), "", lines);
    events("History", explanation.history(), explanation.job().id(), lines);
    lines.add(
        output.dim(
            "as of version %d, %s ago %s the rules: headgate help rules"
                .formatted(
                    explanation.version(),
                    output.times().ago(explanation.time()),
                    output.symbols().dot())));
    return lines;
  }

  /// With times of the one kind that the whole explanation has.
  private String sentence(String text) {
    return output.times().inSentence(PrintableText.line(text));
  }

  /// The error of the job's last attempt: `program not found: trian.py`.
  private static Optional<String> why(Job job) {
    return job.state() == JobState.FAILED || job.state() == JobState.LOST
        ? job.currentAttempt().map(Attempt::error).map(PrintableText::line)
        : Optional.empty();
  }

  /// @param judged whether results are coloured as good or bad for the job
  private void checks(String heading, List<Check> checks, List<String> lines, boolean judged) {
    if (checks.isEmpty()) {
      return;
    }
    lines.add(output.bold(heading));
    for (Check check : checks) {
      String subject =
          CellWidth.pad(PrintableText.line(check.rule() + " " + check.subject()), SUBJECT_WIDTH);
      lines.add(
          "  "
              + subject
              + "    "
              + (judged ? result(check.result()) : "")
              + sentence(check.message()));
    }
  }

  private String result(Result result) {
    return output.paint().paint(style(result), CellWidth.pad(word(result), RESULT_WIDTH)) + " ";
  }

  private static String word(Result result) {
    return switch (result) {
      case OK -> "ok";
      case NO -> "NO";
      case NOT_REACHED -> "-";
    };
  }

  private static Style style(Result result) {
    return switch (result) {
      case OK -> Style.GOOD;
      case NO -> Style.BAD;
      case NOT_REACHED -> Style.DIM;
    };
  }

  private void order(Explanation explanation, List<String> lines) {
    checks("Which job is first?", explanation.orderChecks(), lines, true);
    if (explanation.orderChecks().isEmpty()) {
      lines.add(output.bold("Which job is first?"));
    }
    if (explanation.aheadCount() == 0) {
      lines.add("  no job is ahead of it");
      return;
    }
    long hidden = explanation.aheadCount() - explanation.ahead().size();
    lines.add(
        "  ahead of it: "
            + PrintableText.line(String.join(", ", explanation.ahead()))
            + (hidden > 0 ? " and %,d more".formatted(hidden) : ""));
  }

  private void unblocking(List<String> ways, List<String> lines) {
    if (ways.isEmpty()) {
      return;
    }
    lines.add(output.bold("It starts when any one of these happens"));
    ways.forEach(way -> lines.add("  " + sentence(way)));
  }

  /// @param subject a job that the heading already names; empty: none
  private void events(String heading, List<Event> events, String subject, List<String> lines) {
    if (events.isEmpty()) {
      return;
    }
    lines.add(output.bold(heading));
    for (Event event : events) {
      String what = withoutSubject(event.message(), subject);
      if (what.isEmpty()) {
        what =
            event.type().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                + (event.attempt() > 0 ? " attempt " + event.attempt() : "")
                + (event.placements().isEmpty() ? "" : " on " + JobTexts.place(event.placements()));
      }
      lines.add("  " + output.times().exact(event.time()) + " " + PrintableText.line(what));
      if (event.preemption() != null && !event.preemption().weighed().isEmpty()) {
        lines.add("    weighed (P4): " + PrintableText.line(event.preemption().weighed()));
      }
    }
  }

  private static String withoutSubject(String message, String job) {
    return !job.isEmpty() && (message.startsWith(job + " ") || message.startsWith(job + ": "))
        ? message.substring(message.indexOf(' ') + 1)
        : message;
  }
}

package io.headgate.sdk.cli.command;

import io.headgate.sdk.cli.output.CellWidth;
import io.headgate.sdk.cli.output.Clean;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.cli.output.Style;
import io.headgate.sdk.model.Event;
import io.headgate.sdk.model.Explanation;
import io.headgate.sdk.model.Explanation.Check;
import io.headgate.sdk.model.Explanation.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// An explanation as text: the verdict first, then the checks in the order of the rules, who is
/// first, what would start it, and what happened.
record ExplanationText(Output output) {
  private static final int SUBJECT_WIDTH = 12;
  private static final int RESULT_WIDTH = 5;

  List<String> lines(Explanation explanation) {
    List<String> lines = new ArrayList<>();
    explanation
        .verdict()
        .lines()
        .forEach(line -> lines.add(output.paint().paint(Style.BOLD, Clean.line(line))));
    lines.add("");
    checks("May it start?", explanation.startChecks(), lines);
    checks("Why does it not preempt?", explanation.preemptionChecks(), lines);
    if (!explanation.job().state().isFinal()) {
      order(explanation, lines);
    }
    unblocking(explanation.unblocking(), lines);
    history(explanation.history(), lines);
    lines.add(
        output.dim(
            "as of version %d, %s ago"
                .formatted(explanation.version(), output.times().ago(explanation.time()))));
    return lines;
  }

  private void checks(String heading, List<Check> checks, List<String> lines) {
    if (checks.isEmpty()) {
      return;
    }
    lines.add(output.bold(heading));
    for (Check check : checks) {
      String subject =
          CellWidth.pad(Clean.line(check.rule() + " " + check.subject()), SUBJECT_WIDTH);
      lines.add(
          "  "
              + subject
              + "    "
              + output
                  .paint()
                  .paint(style(check.result()), CellWidth.pad(word(check.result()), RESULT_WIDTH))
              + " "
              + Clean.line(check.message()));
    }
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
    checks("Who is first?", explanation.orderChecks(), lines);
    if (explanation.orderChecks().isEmpty()) {
      lines.add(output.bold("Who is first?"));
    }
    if (explanation.aheadCount() == 0) {
      lines.add("  nobody is ahead of it");
      return;
    }
    long hidden = explanation.aheadCount() - explanation.ahead().size();
    lines.add(
        "  ahead of it: "
            + Clean.line(String.join(", ", explanation.ahead()))
            + (hidden > 0 ? " and %,d more".formatted(hidden) : ""));
  }

  private void unblocking(List<String> ways, List<String> lines) {
    if (ways.isEmpty()) {
      return;
    }
    lines.add(output.bold("It starts when any one of these happens"));
    ways.forEach(way -> lines.add("  " + Clean.line(way)));
  }

  private void history(List<Event> history, List<String> lines) {
    if (history.isEmpty()) {
      return;
    }
    lines.add(output.bold("History"));
    for (Event event : history) {
      String what = event.message();
      if (what.isEmpty()) {
        what =
            event.type().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                + (event.attempt() > 0 ? " attempt " + event.attempt() : "")
                + (event.placements().isEmpty() ? "" : " on " + JobTexts.place(event.placements()));
      }
      lines.add("  " + output.times().exact(event.time()) + " " + Clean.line(what));
    }
  }
}

package io.headgate.sdk.cli.command.top;

import java.util.List;

/// A text over the tables, or a question.
sealed interface TopDialog {
  record None() implements TopDialog {}

  /// The table of keys.
  record Help() implements TopDialog {}

  /// A text to read.
  ///
  /// @param first line that is shown, from 0
  record Text(String title, List<String> lines, int first) implements TopDialog {
    public Text {
      lines = List.copyOf(lines);
    }

    Text scrolled(int by) {
      return new Text(title, lines, Math.max(0, Math.min(lines.size() - 1, first + by)));
    }
  }

  /// The question whether `top` cancels the job.
  record Cancel(String job) implements TopDialog {}

  /// The filter while it is typed.
  record Filter(String typed) implements TopDialog {}
}

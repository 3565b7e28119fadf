package io.headgate.sdk.cli.command.top;

import io.headgate.sdk.cli.output.CellWidth;
import java.util.ArrayList;
import java.util.List;

/// Text for a screen.
final class TopText {
  private TopText() {}

  /// The lines without colours, broken between words where they are wider than the screen.
  static List<String> wrapped(List<String> lines, int width) {
    List<String> wrapped = new ArrayList<>();
    for (String line : lines) {
      String rest = line.replaceAll("\u001b\\[[0-9;]*m", "");
      String indent = " ".repeat(Math.min(rest.length() - rest.stripLeading().length(), width / 2));
      while (CellWidth.of(rest) > width) {
        int end = rest.lastIndexOf(' ', width);
        int cut = end > indent.length() ? end : Math.min(width, rest.length());
        wrapped.add(rest.substring(0, cut).stripTrailing());
        rest = indent + "  " + rest.substring(cut).strip();
      }
      wrapped.add(rest);
    }
    return wrapped;
  }
}

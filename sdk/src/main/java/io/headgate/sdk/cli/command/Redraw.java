package io.headgate.sdk.cli.command;

import io.headgate.sdk.cli.output.Output;

/// Shows a new picture in the place of the old one.
final class Redraw {
  private Redraw() {}

  /// Home, and clear to the end of the screen.
  static void begin(Output output) {
    output.text("\u001b[H\u001b[J");
  }
}

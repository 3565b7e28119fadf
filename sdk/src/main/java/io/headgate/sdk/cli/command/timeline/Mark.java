package io.headgate.sdk.cli.command.timeline;

import io.headgate.proto.scheduler.v1.UsageInterval;
import io.headgate.sdk.cli.output.Style;
import io.headgate.sdk.cli.output.Symbols;

/// The meaning of a piece of a track, and its sign in a terminal.
enum Mark {
  ENTITLED("█", "#", Style.GOOD, "entitled"),
  OVER("▒", "+", Style.WAITING, "over reservation"),
  ABOVE("▀", "^", Style.BAD, "above the limit"),
  STOPPING("▓", "=", Style.BAD, "being stopped"),
  TAKEN("▞", "%", Style.DIM, "another team's"),
  HELD("╌", "-", Style.DIM, "held for a job"),
  FREE("·", ".", Style.DIM, "free"),
  DOWN("!", "!", Style.BAD, "down"),
  NOTHING(" ", " ", Style.PLAIN, "");

  final Style style;
  final String words;
  private final String unicode;
  private final String ascii;

  Mark(String unicode, String ascii, Style style, String words) {
    this.unicode = unicode;
    this.ascii = ascii;
    this.style = style;
    this.words = words;
  }

  String sign(Symbols symbols) {
    return symbols.equals(Symbols.ASCII) ? ascii : unicode;
  }

  /// The mark of an interval until it is asked to stop. The worst right of the slice counts.
  static Mark of(UsageInterval interval) {
    if (interval.getHeld()) {
      return HELD;
    }
    if (interval.getPolicy().isEmpty()) {
      return TAKEN;
    }
    if (isSome(interval.getAboveLimit())) {
      return ABOVE;
    }
    return isSome(interval.getOverReservation()) ? OVER : ENTITLED;
  }

  private static boolean isSome(String quantity) {
    return !quantity.isEmpty() && !quantity.equals("0");
  }
}

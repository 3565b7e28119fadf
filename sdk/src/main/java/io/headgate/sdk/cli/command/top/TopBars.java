package io.headgate.sdk.cli.command.top;

import io.headgate.sdk.cli.output.Symbols;
import io.headgate.type.GpuQuantity;

/// Bars of quantities: `██████│▒▒▒░░`. The end of a bar is the limit or the capacity.
///
/// @param full within the reservation; of a pool: used
/// @param half over the reservation; of a pool: held
/// @param free up to the end
/// @param tick the reservation
record TopBars(String full, String half, String free, String tick) {
  private static final TopBars UNICODE = new TopBars("█", "▒", "░", "│");
  private static final TopBars ASCII = new TopBars("#", "+", ".", "|");

  static TopBars of(Symbols symbols) {
    return symbols.equals(Symbols.UNICODE) ? UNICODE : ASCII;
  }

  /// A bar of `cells` cells, and one more for the tick.
  String policy(
      GpuQuantity entitled,
      GpuQuantity used,
      GpuQuantity reservation,
      GpuQuantity limit,
      int cells) {
    GpuQuantity end = max(limit, used);
    int first = cells(entitled, end, cells);
    int second = Math.max(0, cells(used, end, cells) - first);
    String bar = full.repeat(first) + half.repeat(second) + free.repeat(cells - first - second);
    int at = cells(reservation, end, cells);
    return bar.substring(0, at) + tick + bar.substring(at);
  }

  String pool(GpuQuantity used, GpuQuantity held, GpuQuantity capacity, int cells) {
    GpuQuantity end = max(capacity, used.plus(held));
    int first = cells(used, end, cells);
    int second = Math.min(cells - first, cells(held, end, cells));
    return full.repeat(first) + half.repeat(second) + free.repeat(cells - first - second);
  }

  /// Something is at least one cell, and less than all is never all cells.
  private static int cells(GpuQuantity part, GpuQuantity whole, int cells) {
    if (part.units() == 0 || whole.units() == 0) {
      return 0;
    }
    int rounded = (int) Math.round((double) part.units() / whole.units() * cells);
    int most = part.compareTo(whole) < 0 ? cells - 1 : cells;
    return Math.clamp(rounded, 1, Math.max(1, most));
  }

  private static GpuQuantity max(GpuQuantity one, GpuQuantity other) {
    return one.compareTo(other) >= 0 ? one : other;
  }
}

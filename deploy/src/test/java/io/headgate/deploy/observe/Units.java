package io.headgate.deploy.observe;

/// Numbers as Grafana writes them, roughly.
final class Units {
  private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB"};
  private static final double KIBI = 1024;

  private Units() {}

  /// @param unit of Grafana: `s`, `bytes`, `suffix: GPUs`
  static String text(double value, String unit) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    return switch (unit) {
      case "s" -> seconds(value);
      case "bytes" -> bytes(value);
      case "percentunit" -> number(value * 100) + " %";
      case "cps" -> number(value) + "/s";
      case "watt" -> number(value) + " W";
      case "joule" -> number(value) + " J";
      case "celsius" -> number(value) + " °C";
      case "short", "none", "" -> number(value);
      default -> number(value) + " " + unit.replaceFirst("^(suffix|currency|prefix): ?", "");
    };
  }

  private static String seconds(double value) {
    double size = Math.abs(value);
    if (size >= 3600) {
      return number(value / 3600) + " h";
    }
    if (size >= 60) {
      return number(value / 60) + " min";
    }
    return size >= 1 || size == 0 ? number(value) + " s" : number(value * 1000) + " ms";
  }

  private static String bytes(double value) {
    int step = 0;
    double left = value;
    while (Math.abs(left) >= KIBI && step < BINARY.length - 1) {
      left /= KIBI;
      step++;
    }
    return number(left) + " " + BINARY[step];
  }

  private static String number(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e6) {
      return String.valueOf((long) value);
    }
    return Math.abs(value) >= 1e6 ? "%.3g".formatted(value) : "%.3g".formatted(value).strip();
  }
}

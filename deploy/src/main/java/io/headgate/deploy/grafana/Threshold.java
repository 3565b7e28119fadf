package io.headgate.deploy.grafana;

import java.util.List;

/// From a value on, a panel has a color.
record Threshold(double from, String color) {
  static final String GOOD = "#4E9A51";
  static final String WARNING = "#E0A43A";
  static final String BAD = "#C4482F";
  static final String NEUTRAL = "#6E7F91";

  /// Values that say nothing about good or bad.
  static final List<Threshold> NONE = List.of(new Threshold(Double.NEGATIVE_INFINITY, NEUTRAL));

  /// Any value above 0 is bad.
  static final List<Threshold> MUST_BE_ZERO =
      List.of(new Threshold(Double.NEGATIVE_INFINITY, GOOD), new Threshold(1e-9, BAD));

  /// 0 says nothing about good or bad.
  static final List<Threshold> ONE_IS_GOOD =
      List.of(new Threshold(Double.NEGATIVE_INFINITY, NEUTRAL), new Threshold(1, GOOD));

  /// Good, then worse.
  static List<Threshold> rising(double warning, double bad) {
    return List.of(
        new Threshold(Double.NEGATIVE_INFINITY, GOOD),
        new Threshold(warning, WARNING),
        new Threshold(bad, BAD));
  }

  /// Bad below a value.
  static List<Threshold> atLeast(double good) {
    return List.of(new Threshold(Double.NEGATIVE_INFINITY, BAD), new Threshold(good, GOOD));
  }
}

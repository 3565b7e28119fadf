package io.headgate.deploy.grafana;

import java.util.List;

/// Ways in which GPUs are used or not. Each has one name and one color in all panels.
enum UsageColor {
  ENTITLED("entitled", "entitled", "#4E9A51"),
  OVER_RESERVATION("over_reservation", "over-reservation", "#E0A43A"),
  ABOVE_LIMIT("above_limit", "above the limit", "#C4482F"),
  LOST("lost", "lost by preemption", "#8F3BB8"),
  HELD("held", "held for a job", "#4C8BC9"),
  IDLE("idle", "idle", "#B8BFC7"),
  UNUSABLE("unusable", "idle and unusable", "#8A7F70"),
  DOWN("down", "down", "#4A4F57"),
  RESERVATION("reservation", "reservation", "#2F6F9F"),
  LIMIT("limit", "limit", "#7A2A20"),
  DEMAND("waiting", "waiting", "#D77BB0");

  /// The value of the attribute `headgate.usage.kind`, or a name of a query.
  final String word;

  final String shown;
  final String color;

  UsageColor(String word, String shown, String color) {
    this.word = word;
    this.shown = shown;
    this.color = color;
  }

  static List<UsageColor> all() {
    return List.of(values());
  }
}

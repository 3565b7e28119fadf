package io.headgate.scheduler.core.explain;

/// One rule applied to one job.
///
/// @param rule as DESIGN numbers it: `A2`, `P1`
/// @param title one word for people: `limit`
/// @param text the numbers: `rnd uses 3 + needs 3 = 6 <= 9`
public record Check(String rule, String title, Verdict verdict, String text) {
  /// The result of a rule.
  public enum Verdict {
    /// It does not stand in the way.
    OK,
    /// It stands in the way.
    NO,
    /// It was not reached, or does not apply.
    NOT_APPLICABLE
  }
}

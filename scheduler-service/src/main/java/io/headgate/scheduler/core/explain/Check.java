package io.headgate.scheduler.core.explain;

/// One rule applied to one job.
///
/// @param rule by letter and number: `A2`, `P1`
/// @param title one word for people: `limit`
/// @param finding the numbers that the rule compared
public record Check(String rule, String title, Verdict verdict, Finding finding) {
  /// A check of a rule that applies.
  public static Check of(String rule, String title, boolean ok, Finding finding) {
    return new Check(rule, title, ok ? Verdict.OK : Verdict.NO, finding);
  }

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

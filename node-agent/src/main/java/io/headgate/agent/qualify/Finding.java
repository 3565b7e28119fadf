package io.headgate.agent.qualify;

import java.util.LinkedHashMap;
import java.util.Map;

/// The result of an experiment.
///
/// @param words one sentence: what was seen, what was wrong, or why nothing was shown
/// @param measured figures by name, in their order
public record Finding(Verdict verdict, String words, Map<String, String> measured) {
  /// Whether the claim holds.
  public enum Verdict {
    PASSED,
    FAILED,
    /// Neither: this machine cannot show it, or nothing is claimed here.
    NOT_SHOWN
  }

  public Finding {
    measured = new LinkedHashMap<>(measured);
  }

  /// The claim held in the test.
  static Finding passed(String words) {
    return new Finding(Verdict.PASSED, words, Map.of());
  }

  /// The claim was seen not to hold.
  static Finding failed(String words) {
    return new Finding(Verdict.FAILED, words, Map.of());
  }

  /// It remains open.
  static Finding notShown(String words) {
    return new Finding(Verdict.NOT_SHOWN, words, Map.of());
  }

  /// The same with one figure more.
  Finding with(String name, Object value) {
    Map<String, String> more = new LinkedHashMap<>(measured);
    more.put(name, String.valueOf(value));
    return new Finding(verdict, words, more);
  }
}

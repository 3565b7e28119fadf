package io.headgate.scheduler.core.catalog;

import java.time.Instant;

/// A budget of which all is used, and its effect on a policy until its period ends. The core does
/// not count: the catalog says so.
///
/// @param level whose jobs it counts
/// @param name of the department or policy; of a tenant its id
/// @param amount as people read it: `5000 GPU-hours`; empty for levels above a policy, of which its
///   members learn no amounts
/// @param until when its period ends
/// @param effect on the policy
/// @param yields whether the policy reserves nothing, by this budget or by another one above it
public record SpentBudget(
    Level level, String name, String amount, Instant until, Effect effect, boolean yields) {
  /// The level whose jobs a budget counts.
  public enum Level {
    TENANT("tenant"),
    DEPARTMENT("department"),
    POLICY("policy");

    private final String word;

    Level(String word) {
      this.word = word;
    }

    /// As people read it.
    public String word() {
      return word;
    }
  }

  /// The effect of a spent budget on a policy.
  public enum Effect {
    /// The policy reserves nothing: its jobs use what others leave.
    YIELD,
    /// Its jobs do not start (A1).
    WAIT
  }

  /// `policy ai-dev`.
  public String subject() {
    return level.word() + " " + name;
  }

  /// `the budget of policy ai-dev, 5000 GPU-hours, is spent until 2026-12-01T00:00:00Z`.
  public String sentence() {
    return "the budget of %s%s is spent until %s"
        .formatted(subject(), amount.isEmpty() ? "" : ", " + amount + ",", until);
  }
}

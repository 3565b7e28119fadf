package io.headgate.sdk.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Why a job stands as it does.
///
/// @param verdict the answer in one or two sentences
/// @param startChecks may it start? the A rules, up to the first that fails
/// @param preemptionChecks why does it not preempt? the P rules; empty when it need not
/// @param orderChecks who is first? the O rules that place others before it
/// @param ahead jobs ahead of it, first ones first, at most ten
/// @param unblocking any one of these would start it
/// @param history oldest first
public record Explanation(
    Job job,
    String verdict,
    List<Check> startChecks,
    List<Check> preemptionChecks,
    List<Check> orderChecks,
    List<String> ahead,
    long aheadCount,
    List<String> unblocking,
    List<Event> history,
    long version,
    @Nullable Instant time) {
  public Explanation {
    startChecks = List.copyOf(startChecks);
    preemptionChecks = List.copyOf(preemptionChecks);
    orderChecks = List.copyOf(orderChecks);
    ahead = List.copyOf(ahead);
    unblocking = List.copyOf(unblocking);
    history = List.copyOf(history);
  }

  /// One check of the rules.
  public record Check(
      String rule, String subject, Result result, String message, Map<String, String> detail) {
    public Check {
      detail = Map.copyOf(detail);
    }
  }

  /// How a check came out.
  public enum Result {
    NOT_REACHED,
    OK,
    NO
  }
}

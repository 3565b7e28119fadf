package io.headgate.sdk.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The explanation of a job's present state.
///
/// @param verdict the answer in one or two sentences
/// @param startChecks the A rules on starting, up to the first that fails
/// @param preemptionChecks the P rules on preemption; empty when the job need not preempt
/// @param orderChecks the O rules that place other jobs before it
/// @param ahead jobs ahead of it in order, at most ten
/// @param unblocking changes of which any one would start it
/// @param history oldest first
/// @param preemptions by which other jobs made room for it, oldest first
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
    List<Event> preemptions,
    long version,
    @Nullable Instant time) {
  public Explanation {
    startChecks = List.copyOf(startChecks);
    preemptionChecks = List.copyOf(preemptionChecks);
    orderChecks = List.copyOf(orderChecks);
    ahead = List.copyOf(ahead);
    unblocking = List.copyOf(unblocking);
    history = List.copyOf(history);
    preemptions = List.copyOf(preemptions);
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

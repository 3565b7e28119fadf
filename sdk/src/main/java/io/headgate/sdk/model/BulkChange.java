package io.headgate.sdk.model;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Outcome of a change of many jobs.
///
/// @param changed jobs that were changed
/// @param users the same by the id of their user
/// @param notOwned jobs that match, and that the caller may not change
/// @param failed other jobs that were left alone
/// @param failures the first of these
public record BulkChange(
    long changed, Map<String, Long> users, long notOwned, long failed, List<Failure> failures) {
  /// Nothing happened.
  public static final BulkChange NOTHING = new BulkChange(0, Map.of(), 0, 0, List.of());

  public BulkChange {
    users = Collections.unmodifiableMap(new TreeMap<>(users));
    failures = List.copyOf(failures);
  }

  /// A job that was left alone.
  ///
  /// @param reason stable code, such as `NOT_REQUEUABLE`
  public record Failure(String job, String reason, String message) {}
}

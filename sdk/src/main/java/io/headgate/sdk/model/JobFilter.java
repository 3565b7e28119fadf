package io.headgate.sdk.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Selects jobs. Empty and null criteria match all jobs.
///
/// @param array id of an array: its elements that have started, or were cancelled before; null: no
///   elements, because an array is one job
public record JobFilter(
    List<String> queues,
    List<String> policies,
    List<String> users,
    List<JobState> states,
    @Nullable Instant createdAfter,
    Map<String, String> labels,
    @Nullable Instant activeOrFinishedAfter,
    @Nullable String array) {
  public static final JobFilter ALL =
      new JobFilter(List.of(), List.of(), List.of(), List.of(), null, Map.of(), null, null);

  public JobFilter {
    queues = List.copyOf(queues);
    policies = List.copyOf(policies);
    users = List.copyOf(users);
    states = List.copyOf(states);
    labels = Map.copyOf(labels);
  }

  public JobFilter withQueues(List<String> ids) {
    return new JobFilter(
        ids, policies, users, states, createdAfter, labels, activeOrFinishedAfter, array);
  }

  public JobFilter withPolicies(List<String> ids) {
    return new JobFilter(
        queues, ids, users, states, createdAfter, labels, activeOrFinishedAfter, array);
  }

  public JobFilter withUsers(List<String> ids) {
    return new JobFilter(
        queues, policies, ids, states, createdAfter, labels, activeOrFinishedAfter, array);
  }

  public JobFilter withStates(List<JobState> wanted) {
    return new JobFilter(
        queues, policies, users, wanted, createdAfter, labels, activeOrFinishedAfter, array);
  }

  public JobFilter withCreatedAfter(@Nullable Instant time) {
    return new JobFilter(
        queues, policies, users, states, time, labels, activeOrFinishedAfter, array);
  }

  public JobFilter withLabels(Map<String, String> wanted) {
    return new JobFilter(
        queues, policies, users, states, createdAfter, wanted, activeOrFinishedAfter, array);
  }

  /// Unfinished, or finished at or after this time.
  public JobFilter withActiveOrFinishedAfter(@Nullable Instant time) {
    return new JobFilter(queues, policies, users, states, createdAfter, labels, time, array);
  }

  /// The elements of this array instead of jobs.
  public JobFilter withArray(@Nullable String id) {
    return new JobFilter(
        queues, policies, users, states, createdAfter, labels, activeOrFinishedAfter, id);
  }
}

package io.headgate.sdk.cli.command.top;

import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The words of a filter. `queue=`, `policy=`, `user=` and `state=` select jobs on the server;
/// every other word is a part of the row's id.
///
/// @param words in lower case
record TopFilter(JobFilter jobs, List<String> words) {
  private static final List<JobState> UNFINISHED =
      List.of(JobState.RUNNING, JobState.ASSIGNED, JobState.STOPPING, JobState.SUSPENDED);

  /// An unknown key or state counts as a word, and then no row has it.
  static TopFilter parse(String text) {
    JobFilter jobs = JobFilter.ALL;
    List<String> words = new ArrayList<>();
    for (String word : text.strip().split("\\s+", -1)) {
      int equals = word.indexOf('=');
      String key = equals < 0 ? "" : word.substring(0, equals);
      List<String> value = List.of(word.substring(equals + 1));
      if (key.equals("queue")) {
        jobs = jobs.withQueues(value);
      } else if (key.equals("policy")) {
        jobs = jobs.withPolicies(value);
      } else if (key.equals("user")) {
        jobs = jobs.withUsers(value);
      } else if (key.equals("state") && isState(value.getFirst())) {
        jobs =
            jobs.withStates(List.of(JobState.valueOf(value.getFirst().toUpperCase(Locale.ROOT))));
      } else if (!word.isEmpty()) {
        words.add(word.toLowerCase(Locale.ROOT));
      }
    }
    return new TopFilter(jobs, words);
  }

  private static boolean isState(String text) {
    return List.of(JobState.values()).stream().anyMatch(it -> it.name().equalsIgnoreCase(text));
  }

  /// Whether the id has all words.
  boolean admits(String id) {
    String lower = id.toLowerCase(Locale.ROOT);
    return words.stream().allMatch(lower::contains);
  }

  /// Jobs that hold or held slices, unless the filter names states.
  JobFilter started() {
    return jobs.states().isEmpty() ? jobs.withStates(UNFINISHED) : jobs;
  }

  /// Jobs that wait; the second question, when there is room.
  JobFilter waiting() {
    return jobs.withStates(List.of(JobState.WAITING));
  }

  boolean namesStates() {
    return !jobs.states().isEmpty();
  }
}

package io.headgate.sdk.cli.command.job;

import io.headgate.proto.scheduler.v1.ListJobsResponse;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.wire.JobMessages;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// The elements of an array that reports and hints name.
///
/// @param array id
record ArrayElements(Invocation invocation, String array) {
  /// The largest page of the server: the first failed element of more is not looked for.
  private static final int PAGE = 1000;

  /// Elements that a report names.
  private static final int NAMED = 5;

  private static final JobState[] FAILURES = {JobState.FAILED, JobState.LOST};

  /// Elements in these states, the lowest number first, at most 1000.
  List<Job> in(JobState... states) {
    ListJobsResponse page =
        invocation
            .session()
            .jobs()
            .list(JobFilter.ALL.withArray(array).withStates(Arrays.asList(states)), PAGE, "");
    return page.getJobsList().stream()
        .map(JobMessages::job)
        .sorted(Comparator.comparingInt(ArrayElements::number))
        .toList();
  }

  private static int number(Job job) {
    Job.Element element = job.element();
    return element == null ? 0 : element.number();
  }

  List<Job> failed() {
    return in(FAILURES);
  }

  /// Lines about elements that failed: their names, and how to read and repeat them; none: no
  /// lines.
  List<String> report(List<Job> failed, Job.ArrayProgress progress) {
    if (failed.isEmpty()) {
      return List.of();
    }
    return List.of(
        "failed: " + names(failed, progress.failed()),
        "  output: headgate logs %s     run again: headgate requeue --array %s --state %s"
            .formatted(failed.getFirst().id(), array, states(failed)));
  }

  /// `sweep-1.4 (exit 7), sweep-1.9 (lost) and 3 more`.
  ///
  /// @param all how many there are, of which the list may have fewer
  static String names(List<Job> jobs, int all) {
    List<Job> named = jobs.subList(0, Math.min(NAMED, jobs.size()));
    int more = Math.max(all, jobs.size()) - named.size();
    return named.stream().map(ArrayElements::name).collect(Collectors.joining(", "))
        + (more > 0 ? " and " + more + " more" : "");
  }

  private static String name(Job job) {
    String how =
        switch (job.state()) {
          case FAILED -> job.exitCode() == null ? "" : " (exit " + job.exitCode() + ")";
          case LOST -> " (lost)";
          default -> "";
        };
    return job.id() + how;
  }

  private static String states(List<Job> jobs) {
    return jobs.stream()
        .map(job -> job.state().name().toLowerCase(Locale.ROOT))
        .distinct()
        .sorted()
        .collect(Collectors.joining(","));
  }

  /// The exit code of an array that failed: that of the failed element with the lowest number.
  static int exitCode(List<Job> failed) {
    return failed.isEmpty() ? ExitCode.FOLLOW_FAILED : LiveJobView.exitCode(failed.getFirst());
  }
}

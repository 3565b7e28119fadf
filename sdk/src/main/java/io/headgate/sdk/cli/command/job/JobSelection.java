package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.command.shared.NameCheck;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobState;
import io.headgate.type.NearestName;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that select many jobs.
final class JobSelection {
  @Option(
      names = "--user",
      split = ",",
      paramLabel = "ID",
      description = "Instead of ids: jobs of these users.")
  private List<String> users = List.of();

  @Option(
      names = "--state",
      split = ",",
      paramLabel = "STATE",
      description = "Instead of ids: jobs in these states.")
  private List<String> states = List.of();

  @Option(
      names = "--label",
      paramLabel = "K=V",
      description = "Instead of ids: jobs with these labels.")
  private Map<String, String> labels = Map.of();

  @Option(
      names = "--array",
      paramLabel = "ID",
      description = "Instead of ids: elements of this array that have started.")
  private @Nullable String array;

  @Option(
      names = {"-a", "--all"},
      description = "Instead of ids: jobs of all users that you may change, not only yours.")
  private boolean all;

  /// Whether a flag selects jobs.
  boolean isUsed() {
    return array != null || all || !users.isEmpty() || !states.isEmpty() || !labels.isEmpty();
  }

  /// Id of the array whose elements are selected; null: jobs are.
  @Nullable String array() {
    return array;
  }

  /// An array has one user, so its elements are those of all users.
  ///
  /// @param queues ids; empty: all
  JobFilter filter(Invocation invocation, List<String> queues) {
    return JobFilter.ALL
        .withQueues(queues)
        .withLabels(labels)
        .withUsers(
            !users.isEmpty()
                ? users
                : all || array != null ? List.of() : List.of(invocation.session().user()))
        .withArray(array)
        .withStates(states.stream().map(JobSelection::state).toList());
  }

  /// No job matches: a name may be mistyped.
  void requireNames(Invocation invocation, List<String> queues) {
    NameCheck.QUEUE.require(
        invocation.session(), queues, List.of(), (Job job) -> job.spec().queue());
    NameCheck.USER.require(invocation.session(), users, List.of(), Job::user);
  }

  static JobState state(String text) {
    List<String> names = Arrays.stream(JobState.values()).map(JobState::name).toList();
    String name = text.toUpperCase(Locale.ROOT);
    if (!names.contains(name)) {
      throw new UsageException(
          "\"" + text + "\" is not a job state",
          "BAD_FLAG_VALUE",
          NearestName.suggestion(name, names).orElse("states: headgate help states"));
    }
    return JobState.valueOf(name);
  }

  /// Ids or a selection: one of both.
  static void demandOne(boolean named, boolean selected, String command) {
    if (named && selected) {
      throw new UsageException(
          "ids of jobs cannot be combined with flags that select jobs",
          "FLAGS_CONFLICT",
          "flags and examples: headgate " + command + " --help");
    }
    if (!named && !selected) {
      throw new UsageException(
          "missing: JOB, or a flag that selects jobs",
          "ARGUMENT_MISSING",
          "headgate " + command + " JOB, or headgate " + command + " --queue QUEUE");
    }
  }
}

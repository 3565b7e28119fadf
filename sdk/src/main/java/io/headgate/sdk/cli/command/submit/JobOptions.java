package io.headgate.sdk.cli.command.submit;

import io.headgate.sdk.cli.command.shared.StartTime;
import io.headgate.sdk.cli.error.ErrorFrames;
import io.headgate.sdk.cli.frame.FileOrStandardInput;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.JobFile;
import io.headgate.sdk.config.PullPolicy;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobSpec.AbortCallback;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// A job from a file, from flags, or from both. Flags replace the file's values; environment
/// variables and labels are merged.
final class JobOptions {
  @Option(
      names = {"-f", "--file"},
      paramLabel = "JOB.yaml",
      description =
          "The job as a file; flags override it. - for standard input. See: headgate help job.")
  private @Nullable Path file;

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "QUEUE",
      description = "The queue. List your queues: headgate queues.")
  private @Nullable String queue;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description =
          "Beginning of the job's id; a hyphen and a number follow (default: the queue's name).")
  private @Nullable String name;

  @Option(
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description = "Environment variable of the job; K alone copies the value of this shell.")
  private List<String> environment = List.of();

  @Option(
      names = "--workdir",
      paramLabel = "DIR",
      description = "Working directory on the node (default: a private directory).")
  private @Nullable String workdir;

  @Option(
      names = "--image",
      paramLabel = "IMAGE",
      description = "Container image, such as registry.example/team/train:1.2.")
  private @Nullable String image;

  @Option(
      names = "--pull",
      paramLabel = "WHEN",
      description = "When to fetch the image: always, if-not-present (default) or never.")
  private @Nullable String pull;

  @Option(
      names = "--max-runtime",
      paramLabel = "TIME",
      description = "Stop the job after this time, such as 4h.")
  private @Nullable String maxRuntime;

  @Option(
      names = "--suspend",
      paramLabel = "TIME",
      description = "When the job is preempted, keep it in main memory for at most this time.")
  private @Nullable String suspend;

  @Option(
      names = "--on-abort",
      paramLabel = "CMD",
      description = "Command that sh runs before the job is stopped, to save its work.")
  private @Nullable String onAbort;

  @Option(
      names = "--abort-timeout",
      paramLabel = "TIME",
      description = "Longest time of the --on-abort command (default: as its policy says).")
  private @Nullable String abortTimeout;

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      description = "Time between SIGTERM and SIGKILL (default: as its policy says).")
  private @Nullable String grace;

  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "-1000 to 1000; among jobs equal by O1 to O4 the highest starts first.")
  private @Nullable Integer priority;

  @Option(
      names = "--preemptible",
      arity = "1",
      paramLabel = "BOOL",
      description = "Whether the job may be preempted (default: as its policy says).")
  private @Nullable Boolean preemptible;

  @Option(
      names = "--movable",
      description = "Allow moving the job to make room, in a pool with consolidate.")
  private boolean movable;

  @Option(
      names = "--after",
      split = ",",
      paramLabel = "JOB[:HOW]",
      description =
          "Start once this job has ended: ok (default, with exit code 0), any, or fail. May be"
              + " repeated.")
  private List<String> after = List.of();

  @Option(
      names = "--not-before",
      paramLabel = "TIME",
      description = "Earliest start: 30m from now, 18:00, or 2026-12-01T08:00.")
  private @Nullable String notBefore;

  @Option(names = "--label", paramLabel = "K=V", description = "Label of the job, for filters.")
  private Map<String, String> labels = Map.of();

  @Option(names = "--draft", description = "Create a draft, which headgate requeue submits.")
  private boolean draft;

  @Parameters(
      arity = "0..*",
      paramLabel = "CMD",
      description = "Program and arguments; no shell interprets them.")
  private List<String> command = List.of();

  private JobFile written = JobFile.EMPTY;

  /// Reads the job file, if one is given.
  void read(Invocation invocation) throws IOException {
    if (file != null) {
      try {
        written =
            new FileOrStandardInput<JobFile>(JobFile::read, JobFile::read).read(invocation, file);
      } catch (ConfigurationException e) {
        throw ErrorFrames.of(e, "Nothing was submitted.");
      }
    }
    if (queue().isEmpty()) {
      throw missing("--queue");
    }
    if (command.isEmpty() && written.command().isEmpty()) {
      throw missing("CMD");
    }
  }

  private static UsageException missing(String what) {
    return new UsageException(
        "missing: " + what, "ARGUMENT_MISSING", "flags and examples: headgate submit --help");
  }

  /// Empty: none is named.
  String queue() {
    String wanted = either(queue, written.queue());
    return wanted == null ? "" : wanted;
  }

  @Nullable String name() {
    return either(name, written.name());
  }

  JobSpec spec(Invocation invocation) {
    Integer wanted = either(priority, written.priority());
    JobSpec spec =
        JobSpec.of(queue(), command.isEmpty() ? written.command() : command)
            .withEnvironment(variables(invocation))
            .withWorkingDirectory(either(workdir, written.workingDirectory()))
            .withPriority(wanted == null ? 0 : wanted)
            .withPreemptible(either(preemptible, written.preemptible()))
            .withLabels(together(written.labels(), labels))
            .withMovable(movable || written.movable())
            .withDraft(draft || written.draft())
            .withAfter(after())
            .withNotBefore(notBefore(invocation))
            .withContainer(container())
            .withSuspend(either(duration("--suspend", suspend), written.suspend()))
            .withMaxRuntime(either(duration("--max-runtime", maxRuntime), written.maxRuntime()));
    Duration between = either(duration("--grace", grace), written.terminationGrace());
    if (between != null) {
      spec = spec.withTerminationGrace(between);
    }
    // The text for `sh` is ours alone; the user's words are passed as arguments.
    List<String> callback = onAbort == null ? written.abortCommand() : List.of("sh", "-c", onAbort);
    if (!callback.isEmpty()) {
      spec =
          spec.withAbortCallback(
              new AbortCallback(
                  callback,
                  either(duration("--abort-timeout", abortTimeout), written.abortTimeout())));
    }
    return spec;
  }

  /// Dependencies in flags replace dependencies in the file.
  private List<JobSpec.Dependency> after() {
    return after.isEmpty()
        ? written.after().stream().map(text -> AfterText.parse("after:", text)).toList()
        : after.stream().map(text -> AfterText.parse("--after", text)).toList();
  }

  private @Nullable Instant notBefore(Invocation invocation) {
    String text = either(notBefore, written.notBefore());
    return text == null
        ? null
        : StartTime.parse(
            notBefore == null ? "notBefore:" : "--not-before",
            text,
            invocation.environment().clock().instant(),
            invocation.environment().zone());
  }

  private JobSpec.@Nullable Container container() {
    String named = either(image, written.image());
    PullPolicy when = pull == null ? written.pull() : policy(pull);
    if (named == null && when != null) {
      throw missing("--image");
    }
    return named == null ? null : new JobSpec.Container(named, when);
  }

  private static PullPolicy policy(String word) {
    for (PullPolicy policy : PullPolicy.values()) {
      if (policy.keyword().equals(word)) {
        return policy;
      }
    }
    throw new UsageException(
        "--pull " + word + " is not always, if-not-present or never",
        "ARGUMENT_INVALID",
        "flags and examples: headgate submit --help");
  }

  private static @Nullable Duration duration(String flag, @Nullable String text) {
    return text == null ? null : Invocation.duration(flag, text);
  }

  private static <T> @Nullable T either(@Nullable T flag, @Nullable T inFile) {
    return flag != null ? flag : inFile;
  }

  private static Map<String, String> together(
      Map<String, String> inFile, Map<String, String> flags) {
    Map<String, String> all = new LinkedHashMap<>(inFile);
    all.putAll(flags);
    return all;
  }

  private Map<String, String> variables(Invocation invocation) {
    Map<String, String> variables = new LinkedHashMap<>(written.environment());
    for (String entry : environment) {
      int equals = entry.indexOf('=');
      if (equals < 0) {
        variables.put(entry, inherited(invocation, entry));
      } else {
        variables.put(entry.substring(0, equals), entry.substring(equals + 1));
      }
    }
    return variables;
  }

  /// An unset variable is refused: a job with an empty token would fail much later.
  private static String inherited(Invocation invocation, String name) {
    String value = invocation.environment().variables().get(name);
    if (value == null) {
      throw new UsageException(
          "--env " + name + ": the variable is not set in this shell",
          "ARGUMENT_INVALID",
          "set and export it, or write --env " + name + "=VALUE");
    }
    return value;
  }
}

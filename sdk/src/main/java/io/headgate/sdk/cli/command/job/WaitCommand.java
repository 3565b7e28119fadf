package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.command.shared.JobTexts;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.TimeText;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate wait`.
@Command(
    header = {
      "headgate wait train-7 train-8                      until both have ended",
      "headgate wait train-7 --for running --timeout 5m   until it runs; exits with 3 after 5 minutes",
      ""
    },
    description =
        "Waits for jobs. Exits with the exit code of the first failed job or element of an array, or 143"
            + " for a cancelled one.")
public final class WaitCommand implements CliCommand {
  private static final Duration FOR_EVER = Duration.ofDays(100_000);

  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(arity = "1..*", paramLabel = "JOB", description = "Ids of the jobs.")
  private List<String> jobs = List.of();

  @Option(names = "--for", paramLabel = "WHAT", description = "end or running (default: end).")
  private @Nullable String what;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    boolean running = "running".equals(what);
    if (what != null && !running && !what.equals("end")) {
      throw new UsageException(
          "\"" + what + "\" is not a value of --for", "BAD_FLAG_VALUE", "values: end, running");
    }
    Predicate<Job> condition =
        running
            ? job -> job.state() == JobState.RUNNING || job.state().isFinal()
            : job -> job.state().isFinal();
    Duration timeout = invocation.timeout().orElse(FOR_EVER);
    // Here `--timeout` bounds the wait and not the single call.
    global.timeout = null;
    return await(invocation, jobs, condition, timeout, running);
  }

  /// Waits for the end of jobs.
  public static int await(Invocation invocation, List<String> jobs) {
    return await(invocation, jobs, job -> job.state().isFinal(), FOR_EVER, false);
  }

  /// Says which elements of an array failed, and returns the exit code of the job that ended.
  static int ended(Invocation invocation, Job job) {
    Job.ArrayProgress progress = job.arrayProgress();
    if (progress == null || job.state() != JobState.FAILED) {
      return LiveJobView.exitCode(job);
    }
    ArrayElements elements = new ArrayElements(invocation, job.id());
    List<Job> failed = elements.failed();
    elements.report(failed, progress).forEach(invocation.output()::note);
    return ArrayElements.exitCode(failed);
  }

  private static int await(
      Invocation invocation,
      List<String> ids,
      Predicate<Job> condition,
      Duration timeout,
      boolean running) {
    JobClient client = invocation.session().client().jobs(invocation.session().tenant());
    long begin = System.nanoTime();
    int exitCode = ExitCode.DONE;
    for (String id : ids) {
      Duration left = timeout.minusNanos(System.nanoTime() - begin);
      Optional<Job> reached = client.await(id, condition, left.isNegative() ? Duration.ZERO : left);
      if (reached.isEmpty()) {
        invocation
            .output()
            .note(
                "%s %s after %s: headgate explain %s"
                    .formatted(
                        id,
                        running ? "does not run" : "has not ended",
                        TimeText.span(timeout),
                        id));
        return ExitCode.DIFFERENT;
      }
      Job job = reached.get();
      invocation.output().note(id + " " + JobTexts.stands(job));
      LastWords.of(invocation, job).forEach(invocation.output()::note);
      int own = running && job.state() == JobState.RUNNING ? ExitCode.DONE : ended(invocation, job);
      exitCode = exitCode == ExitCode.DONE ? own : exitCode;
    }
    return exitCode;
  }
}

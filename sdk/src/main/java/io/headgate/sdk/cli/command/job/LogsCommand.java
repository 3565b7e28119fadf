package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrames;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.LogPiece;
import io.headgate.sdk.wire.LogReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate logs`.
@Command(
    header = {
      "headgate logs -f train-7                 follow the output through all attempts",
      "headgate logs train-7 --attempt 1        the output of the first attempt",
      "headgate logs sweep-1.7                  the output of an element of an array",
      ""
    },
    description = "Prints a job's standard output and standard error.")
public final class LogsCommand implements CliCommand {
  private static final String IS_ARRAY = "IS_ARRAY";

  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(paramLabel = "JOB", description = "Id of the job.")
  private String job = "";

  @Option(
      names = {"-f", "--follow"},
      description = "Follow the output until the job ends, and exit with its code.")
  private boolean follow;

  @Option(
      names = "--attempt",
      paramLabel = "N",
      description = "Output of this attempt (default: the current or last).")
  private int attempt;

  @Option(names = "--worker", paramLabel = "N", description = "Output of this worker (default: 0).")
  private int worker;

  @Option(
      names = "--tail",
      paramLabel = "LINES",
      description = "Only the last LINES of standard output and of standard error.")
  private @Nullable Integer tail;

  @Option(names = "--raw", description = "Do not filter control characters on a terminal.")
  private boolean raw;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    try {
      return show(invocation);
    } catch (HeadgateException e) {
      throw e.reason().equals(IS_ARRAY) ? named(invocation, e) : e;
    }
  }

  /// Names an element to read: one that failed, or one that runs, or any.
  private RuntimeException named(Invocation invocation, HeadgateException refusal) {
    ArrayElements elements = new ArrayElements(invocation, job);
    List<Job> found = elements.failed();
    if (found.isEmpty()) {
      found = elements.in(JobState.RUNNING);
    }
    if (found.isEmpty()) {
      found = elements.in();
    }
    List<String> next = new ArrayList<>();
    if (!found.isEmpty()) {
      Job first = found.getFirst();
      next.add(
          "%s %s%s: headgate logs %s"
              .formatted(
                  first.id(),
                  first.state() == JobState.FAILED ? "" : "is ",
                  first.state().name().toLowerCase(Locale.ROOT),
                  first.id()));
    }
    next.add("its elements: headgate jobs --array " + job);
    return new CliFailure(
        List.of(ErrorFrames.of(refusal, invocation.session().server()).next(next)),
        ExitCode.of(refusal),
        null);
  }

  private int show(Invocation invocation) {
    if (follow && attempt == 0 && worker == 0 && tail == null) {
      return new LiveJobView(invocation, job, raw).run();
    }
    LogPrinter printer = new LogPrinter(invocation, raw);
    if (tail == null) {
      print(invocation, printer, LogTail.ALL);
    } else if (tail < 1) {
      throw new UsageException(
          "\"" + tail + "\" is not a number of lines for --tail",
          "BAD_FLAG_VALUE",
          "1 or more: --tail 100");
    } else {
      print(
          invocation,
          printer,
          LogTail.find(invocation.session().jobs(), job, attempt, worker, tail));
    }
    return ExitCode.DONE;
  }

  private void print(Invocation invocation, LogPrinter printer, LogTail from) {
    int number = from.attempt() == 0 ? attempt : from.attempt();
    try (LogReader logs =
        invocation.session().jobs().logs(job, number, worker, follow, from.bytes())) {
      for (LogPiece piece = logs.next();
          piece != null && !invocation.output().isClosed();
          piece = logs.next()) {
        from.part(piece).ifPresent(printer::print);
      }
    }
  }
}

package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.model.LogPiece;
import io.headgate.sdk.wire.LogReader;
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
      ""
    },
    description = "Prints a job's standard output and standard error.")
public final class LogsCommand implements CliCommand {
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

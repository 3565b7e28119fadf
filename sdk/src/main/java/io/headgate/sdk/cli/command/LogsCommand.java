package io.headgate.sdk.cli.command;

import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.model.LogPiece;
import io.headgate.sdk.wire.LogReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate logs`.
@Command(
    header = {
      "headgate logs -f train-7                 follow it through all its attempts",
      "headgate logs train-7 --attempt 1        what the first attempt printed",
      ""
    },
    description = "Prints what a job printed: its standard output and its standard error.")
public final class LogsCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(paramLabel = "JOB", description = "The job.")
  private String job = "";

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until the job ends, and exit with its code.")
  private boolean follow;

  @Option(
      names = "--attempt",
      paramLabel = "N",
      description = "Of this attempt (default: the current or last).")
  private int attempt;

  @Option(names = "--worker", paramLabel = "N", description = "Of this worker (default: 0).")
  private int worker;

  @Option(names = "--tail", paramLabel = "BYTES", description = "About the last BYTES only.")
  private long tail;

  @Option(names = "--raw", description = "Control characters too, also on a terminal.")
  private boolean raw;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    if (follow && attempt == 0 && worker == 0 && tail == 0) {
      return new Follow(invocation, job, raw).run();
    }
    LogPrinter printer = new LogPrinter(invocation, raw);
    try (LogReader logs = invocation.session().jobs().logs(job, attempt, worker, follow, tail)) {
      for (LogPiece piece = logs.next();
          piece != null && !invocation.output().isClosed();
          piece = logs.next()) {
        printer.print(piece);
      }
    }
    return ExitCode.DONE;
  }
}

package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.command.shared.NamedItems;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate cancel`.
@Command(
    header = {
      "headgate cancel train-7                      a running job first runs its abort callback",
      "headgate cancel train-7 train-8 --reason 'wrong data'",
      ""
    },
    description = "Cancels jobs. A job that has ended is not changed.")
public final class CancelCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(arity = "1..*", paramLabel = "JOB", description = "Ids of the jobs.")
  private List<String> jobs = List.of();

  @Option(names = "--skip-callback", description = "Do not run the abort callback.")
  private boolean skipCallback;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Reason that others see.")
  private String reason = "";

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    return NamedItems.run(
        invocation,
        jobs,
        id ->
            JobChangeReport.print(
                invocation, invocation.session().jobs().cancel(id, skipCallback, reason)));
  }
}

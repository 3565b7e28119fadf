package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.command.shared.NamedItems;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.model.JobFilter;
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
      "headgate cancel --label sweep=7               all of yours with this label, after a question",
      "headgate cancel --queue half --state WAITING --all",
      ""
    },
    description = "Cancels jobs. A job that has ended is not changed.")
public final class CancelCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(arity = "0..*", paramLabel = "JOB", description = "Ids of the jobs.")
  private List<String> jobs = List.of();

  @Option(
      names = {"-q", "--queue"},
      split = ",",
      paramLabel = "ID",
      description = "Instead of ids: jobs in these queues.")
  private List<String> queues = List.of();

  @Mixin private final JobSelection selection = new JobSelection();

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
    boolean selects = selection.isUsed() || !queues.isEmpty();
    JobSelection.demandOne(!jobs.isEmpty(), selects, "cancel");
    if (selects) {
      JobFilter filter = selection.filter(invocation, queues);
      return new BulkJobChange(
              invocation, "cancel", "cancelled", () -> selection.requireNames(invocation, queues))
          .run((countOnly, token) ->
              invocation
                  .session()
                  .jobs()
                  .cancelAll(filter, skipCallback, reason, countOnly, token));
    }
    return NamedItems.run(
        invocation,
        jobs,
        id ->
            JobChangeReport.print(
                invocation, invocation.session().jobs().cancel(id, skipCallback, reason)));
  }
}

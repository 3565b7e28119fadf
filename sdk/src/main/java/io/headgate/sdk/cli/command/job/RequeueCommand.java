package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.command.shared.NamedItems;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate requeue`.
@Command(
    header = {
      "headgate requeue train-7        submit a draft, stop and requeue a running job, rerun an ended"
          + " one",
      "headgate requeue train-7 train-8",
      ""
    },
    description = "Puts jobs back in their queues.")
public final class RequeueCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(arity = "1..*", paramLabel = "JOB", description = "Ids of the jobs.")
  private List<String> jobs = List.of();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    return NamedItems.run(
        invocation,
        jobs,
        id -> JobChangeReport.print(invocation, invocation.session().jobs().requeue(id)));
  }
}

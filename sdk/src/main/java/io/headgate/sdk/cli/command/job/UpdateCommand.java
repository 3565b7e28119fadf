package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.command.shared.NamedItems;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.model.JobUpdate;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate update`.
@Command(
    header = {
      "headgate update train-7 --priority 10",
      "headgate update train-7 --max-runtime 8h --queue ai-dev-half",
      ""
    },
    description =
        "Changes jobs that wait or are drafts. They keep their places by the time of submission.")
public final class UpdateCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(arity = "1..*", paramLabel = "JOB", description = "Ids of the jobs.")
  private List<String> jobs = List.of();

  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "-1000 to 1000; among jobs equal by O1 to O4 the highest starts first.")
  private @Nullable Integer priority;

  @Option(
      names = "--max-runtime",
      paramLabel = "TIME",
      description = "Stop the job after this time, such as 4h; 0s: no limit.")
  private @Nullable String maxRuntime;

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "QUEUE",
      description = "Put the job into this queue.")
  private @Nullable String queue;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    Duration limit = maxRuntime == null ? null : Invocation.duration("--max-runtime", maxRuntime);
    JobUpdate update = new JobUpdate(priority, limit, queue);
    if (update.equals(JobUpdate.NOTHING)) {
      throw new UsageException(
          "missing: what to change",
          "ARGUMENT_MISSING",
          "name --priority, --max-runtime or --queue");
    }
    return NamedItems.run(
        invocation,
        jobs,
        id -> JobChangeReport.print(invocation, invocation.session().jobs().update(id, update)));
  }
}

package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.command.shared.NamedItems;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobState;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate requeue`.
@Command(
    header = {
      "headgate requeue train-7        submit a draft, stop and requeue a running job, rerun an ended"
          + " one",
      "headgate requeue train-7 train-8",
      "headgate requeue train-7 --queue half      a draft or an ended job, in another queue",
      "headgate requeue --state FAILED            all of yours that failed, after a question",
      ""
    },
    description = "Puts jobs back in their queues.")
public final class RequeueCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(arity = "0..*", paramLabel = "JOB", description = "Ids of the jobs.")
  private List<String> jobs = List.of();

  @Option(
      names = {"-q", "--queue"},
      split = ",",
      paramLabel = "ID",
      description =
          "With ids: the queue that the jobs move to. Instead of ids: jobs in these queues.")
  private List<String> queues = List.of();

  @Option(
      names = "--ignore-after",
      description = "Do not wait for the jobs that the job was submitted after.")
  private boolean ignoreAfter;

  @Mixin private final JobSelection selection = new JobSelection();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    JobSelection.demandOne(
        !jobs.isEmpty(), selection.isUsed() || (jobs.isEmpty() && !queues.isEmpty()), "requeue");
    if (jobs.isEmpty()) {
      return requeueAll(invocation);
    }
    if (queues.size() > 1) {
      throw new UsageException("a job has one queue", "BAD_FLAG_VALUE", "write --queue QUEUE");
    }
    String queue = queues.isEmpty() ? "" : queues.getFirst();
    return NamedItems.run(
        invocation,
        jobs,
        id ->
            JobChangeReport.print(
                invocation, invocation.session().jobs().requeue(id, queue, ignoreAfter)));
  }

  private int requeueAll(Invocation invocation) {
    JobFilter filter = selection.filter(invocation, queues);
    if (filter.states().isEmpty() || filter.states().contains(JobState.WAITING) || ignoreAfter) {
      throw new UsageException(
          ignoreAfter
              ? "--ignore-after needs ids of jobs"
              : "missing: --state, such as FAILED or FAILED,LOST, and not WAITING",
          "ARGUMENT_MISSING",
          "states: headgate help states");
    }
    return new BulkJobChange(
            invocation, "requeue", "requeued", () -> selection.requireNames(invocation, queues))
        .run(
            (countOnly, token) -> invocation.session().jobs().requeueAll(filter, countOnly, token));
  }
}

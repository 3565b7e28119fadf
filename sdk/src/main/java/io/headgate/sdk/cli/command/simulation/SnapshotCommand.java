package io.headgate.sdk.cli.command.simulation;

import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ScenarioFile;
import io.headgate.sdk.config.ScenarioWriter;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Page;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `headgate snapshot`.
@Command(
    header = {
      "headgate snapshot > now.yaml                the present state, as a scenario",
      "headgate simulate now.yaml --view gantt     what the scheduler would do next",
      ""
    },
    description =
        "Writes the configuration in force, the nodes, and the jobs that run or wait as a scenario"
            + " for headgate simulate.")
public final class SnapshotCommand implements CliCommand {
  private static final List<JobState> LIVE =
      List.of(
          JobState.WAITING,
          JobState.ASSIGNED,
          JobState.RUNNING,
          JobState.STOPPING,
          JobState.SUSPENDED);
  private static final int PAGE = 1000;
  private static final int MOST_REMARKS = 10;

  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Option(
      names = "--max-jobs",
      paramLabel = "N",
      defaultValue = "50000",
      description = "Refuse if more jobs run or wait (default: 50000).")
  private int maxJobs;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    String tenant = invocation.session().tenant();
    HeadgateClient client = invocation.session().client();
    Configuration configuration = client.configuration(tenant).read().configuration();
    List<Job> jobs = jobs(client.jobs(tenant));
    Instant now = invocation.environment().clock().instant();
    SnapshotScenario snapshot = new SnapshotScenario(now);
    ScenarioFile scenario = snapshot.of(configuration, client.catalog(tenant).nodes(), jobs);
    List<String> comment = new ArrayList<>();
    comment.add("%s at %s".formatted(tenant, now));
    comment.addAll(snapshot.remarks());
    invocation.output().text(ScenarioWriter.write(scenario, comment));
    List<String> remarks = snapshot.remarks();
    remarks.stream().limit(MOST_REMARKS).forEach(invocation.output()::note);
    if (remarks.size() > MOST_REMARKS) {
      invocation
          .output()
          .note(
              "and %d more remarks at the top of the file"
                  .formatted(remarks.size() - MOST_REMARKS));
    }
    return ExitCode.DONE;
  }

  /// Reads all pages. Too many jobs are refused, because a snapshot of a part would behave
  /// differently.
  private List<Job> jobs(JobClient client) {
    List<Job> jobs = new ArrayList<>();
    add(jobs, client, JobFilter.ALL.withStates(LIVE));
    for (Job array : List.copyOf(jobs)) {
      if (array.arrayProgress() != null) {
        add(jobs, client, JobFilter.ALL.withStates(LIVE).withArray(array.id()));
      }
    }
    return jobs;
  }

  private void add(List<Job> jobs, JobClient client, JobFilter filter) {
    String token = "";
    do {
      Page<Job> page = client.list(filter, PAGE, token);
      jobs.addAll(page.items());
      token = page.nextPageToken();
      if (jobs.size() > maxJobs) {
        throw new CliFailure(
            List.of(
                ErrorFrame.usage(
                    "more than %d jobs run or wait".formatted(maxJobs),
                    "TOO_MANY_JOBS",
                    List.of("raise the bound: --max-jobs 1000000"))),
            ExitCode.REFUSED,
            null);
      }
    } while (!token.isEmpty());
  }
}

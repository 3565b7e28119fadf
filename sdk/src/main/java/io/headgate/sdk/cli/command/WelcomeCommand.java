package io.headgate.sdk.cli.command;

import io.headgate.proto.scheduler.v1.ListJobsResponse;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.Session;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.model.Identity;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.wire.ResourceNames;
import io.headgate.sdk.wire.RightsMessages;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `headgate` without a command: the user, the server, the user's jobs, and useful next commands.
@Command(description = "Shows your identity, your jobs and useful commands.")
public final class WelcomeCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    Session session = invocation.session();
    Output output = invocation.output();
    Identity identity = RightsMessages.identity(session.identity().whoAmI());
    String dot = " " + output.symbols().dot() + " ";
    output.line(
        output.bold(identity.user())
            + " ("
            + identity.role().toLowerCase(Locale.ROOT).replace('_', ' ')
            + ")"
            + dot
            + session.server()
            + dot
            + "tenant "
            + session.tenant());
    JobFilter mine =
        JobFilter.ALL
            .withUsers(List.of(identity.user()))
            .withActiveOrFinishedAfter(
                invocation.environment().clock().instant().minus(java.time.Duration.ofHours(1)));
    ListJobsResponse jobs = session.jobs().list(mine, 1, "");
    output.line("my jobs: " + counts(jobs));
    output.line("");
    String queue =
        identity.queues().stream()
            .findFirst()
            // An operator may use all queues.
            .or(() -> session.catalog().queues().stream().map(it -> id(it.getName())).findFirst())
            .orElse("QUEUE");
    output.line("  headgate submit -q %s --follow -- CMD...".formatted(queue));
    output.line("  headgate jobs --all");
    output.line("  headgate help");
    return ExitCode.DONE;
  }

  private static String id(String name) {
    return ResourceNames.id(name);
  }

  private static String counts(ListJobsResponse jobs) {
    List<String> parts = new ArrayList<>();
    for (JobState state : JobState.values()) {
      long count = jobs.getCountsOrDefault("STATE_" + state.name(), 0);
      if (count > 0) {
        parts.add("%,d %s".formatted(count, state.name().toLowerCase(Locale.ROOT)));
      }
    }
    return parts.isEmpty() ? "none now" : String.join(", ", parts);
  }
}

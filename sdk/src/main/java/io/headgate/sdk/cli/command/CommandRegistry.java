package io.headgate.sdk.cli.command;

import io.headgate.sdk.cli.command.access.AdminsCommand;
import io.headgate.sdk.cli.command.access.AuditCommand;
import io.headgate.sdk.cli.command.access.ContextCommand;
import io.headgate.sdk.cli.command.access.KeysCommand;
import io.headgate.sdk.cli.command.access.LoginCommand;
import io.headgate.sdk.cli.command.access.LogoutCommand;
import io.headgate.sdk.cli.command.access.TenantsCommand;
import io.headgate.sdk.cli.command.access.UsersCommand;
import io.headgate.sdk.cli.command.access.WhoAmICommand;
import io.headgate.sdk.cli.command.configuration.ApplyCommand;
import io.headgate.sdk.cli.command.configuration.ExportCommand;
import io.headgate.sdk.cli.command.configuration.PlanCommand;
import io.headgate.sdk.cli.command.configuration.PoliciesCommand;
import io.headgate.sdk.cli.command.configuration.ProfilesCommand;
import io.headgate.sdk.cli.command.configuration.QueuesCommand;
import io.headgate.sdk.cli.command.configuration.VaultsCommand;
import io.headgate.sdk.cli.command.job.CancelCommand;
import io.headgate.sdk.cli.command.job.EventsCommand;
import io.headgate.sdk.cli.command.job.ExplainCommand;
import io.headgate.sdk.cli.command.job.JobsCommand;
import io.headgate.sdk.cli.command.job.LogsCommand;
import io.headgate.sdk.cli.command.job.RequeueCommand;
import io.headgate.sdk.cli.command.job.UpdateCommand;
import io.headgate.sdk.cli.command.job.WaitCommand;
import io.headgate.sdk.cli.command.simulation.SimulateElsewhereCommand;
import io.headgate.sdk.cli.command.simulation.SnapshotCommand;
import io.headgate.sdk.cli.command.submit.SubmitCommand;
import io.headgate.sdk.cli.command.supply.ApproveCommand;
import io.headgate.sdk.cli.command.supply.DrainCommand;
import io.headgate.sdk.cli.command.supply.ForgetCommand;
import io.headgate.sdk.cli.command.supply.JoinTokenCommand;
import io.headgate.sdk.cli.command.supply.JoinTokensCommand;
import io.headgate.sdk.cli.command.supply.LabelCommand;
import io.headgate.sdk.cli.command.supply.MoveCommand;
import io.headgate.sdk.cli.command.supply.NodesCommand;
import io.headgate.sdk.cli.command.supply.PoolsCommand;
import io.headgate.sdk.cli.command.supply.UndrainCommand;
import io.headgate.sdk.cli.command.timeline.TimelineCommand;
import io.headgate.sdk.cli.command.top.TopCommand;
import io.headgate.sdk.cli.command.usage.BudgetsCommand;
import io.headgate.sdk.cli.command.usage.UsageCommand;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.CommandProvider;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Supplier;

/// All commands, by group, in the order in which help shows them.
public final class CommandRegistry {
  /// Commands that another module provides. Help lists them even where that module is missing.
  private static final Set<String> ELSEWHERE = Set.of("up", "simulate");

  private static final List<Registration> OWN =
      List.of(
          new Registration(
              "START", "up", "run the whole system on this machine", UpElsewhereCommand::new),
          new Registration("START", "login", "sign in to a server", LoginCommand::new),
          new Registration("START", "logout", "forget a stored key", LogoutCommand::new),
          new Registration(
              "START", "whoami", "show your identity, groups and queues", WhoAmICommand::new),
          new Registration(
              "START", "context", "list, select or change contexts", ContextCommand::new),
          new Registration("JOBS", "submit", "submit a job to a queue", SubmitCommand::new),
          new Registration("JOBS", "jobs", "list your jobs, or show one", JobsCommand::new),
          new Registration(
              "JOBS", "explain", "explain why a job waits, runs or ended", ExplainCommand::new),
          new Registration("JOBS", "logs", "print the output of a job", LogsCommand::new),
          new Registration("JOBS", "wait", "wait for jobs", WaitCommand::new),
          new Registration("JOBS", "cancel", "cancel jobs", CancelCommand::new),
          new Registration("JOBS", "update", "change waiting jobs", UpdateCommand::new),
          new Registration("JOBS", "requeue", "put jobs back in their queues", RequeueCommand::new),
          new Registration(
              "SHOW", "top", "watch pools, policies, jobs and nodes, live", TopCommand::new),
          new Registration("SHOW", "queues", "list queues, or show one", QueuesCommand::new),
          new Registration(
              "SHOW", "policies", "list policies with their usage", PoliciesCommand::new),
          new Registration(
              "SHOW",
              "vaults",
              "list images, commands and environment that jobs may use",
              VaultsCommand::new),
          new Registration("SHOW", "profiles", "list job sizes", ProfilesCommand::new),
          new Registration("SHOW", "pools", "list pools with their usage", PoolsCommand::new),
          new Registration("SHOW", "nodes", "list nodes with their devices", NodesCommand::new),
          new Registration("SHOW", "events", "list or follow events", EventsCommand::new),
          new Registration(
              "SHOW", "timeline", "show who had which slice over time", TimelineCommand::new),
          new Registration(
              "SHOW", "usage", "report the GPU time of a period, and its cost", UsageCommand::new),
          new Registration("SHOW", "budgets", "list budgets with their use", BudgetsCommand::new),
          new Registration(
              "CONFIGURE", "plan", "preview what a configuration file changes", PlanCommand::new),
          new Registration("CONFIGURE", "apply", "apply a configuration file", ApplyCommand::new),
          new Registration(
              "CONFIGURE", "export", "print the configuration in force", ExportCommand::new),
          new Registration("OPERATE", "drain", "take nodes out of service", DrainCommand::new),
          new Registration(
              "OPERATE", "undrain", "put nodes back into service", UndrainCommand::new),
          new Registration(
              "OPERATE", "approve", "believe what nodes in quarantine report", ApproveCommand::new),
          new Registration("OPERATE", "move", "put a node into another pool", MoveCommand::new),
          new Registration("OPERATE", "label", "set or remove labels of a node", LabelCommand::new),
          new Registration(
              "OPERATE", "forget", "remove nodes that do not come back", ForgetCommand::new),
          new Registration(
              "OPERATE",
              "join-token",
              "create a token with which machines join a pool",
              JoinTokenCommand::new),
          new Registration(
              "OPERATE", "join-tokens", "list or revoke join tokens", JoinTokensCommand::new),
          new Registration("OPERATE", "users", "list users with their role", UsersCommand::new),
          new Registration(
              "OPERATE", "tenants", "list, add or remove tenants", TenantsCommand::new),
          new Registration("OPERATE", "admins", "list, add or remove admins", AdminsCommand::new),
          new Registration("OPERATE", "keys", "list, create or revoke keys", KeysCommand::new),
          new Registration(
              "OPERATE", "audit", "check that no audit entry is missing", AuditCommand::new),
          new Registration(
              "WHAT-IF",
              "simulate",
              "play a scenario without a server",
              SimulateElsewhereCommand::new),
          new Registration(
              "WHAT-IF", "snapshot", "write the present state as a scenario", SnapshotCommand::new),
          new Registration(
              "OTHER",
              "completion",
              "print a completion script for bash or zsh",
              CompletionCommand::new),
          new Registration(
              "OTHER", "version", "print the version of this program", VersionCommand::new),
          new Registration("OTHER", "help", "print help on commands and topics", HelpCommand::new));

  private CommandRegistry() {}

  /// One command.
  public record Registration(
      String group, String name, String summary, Supplier<? extends CliCommand> create) {}

  /// A command by its name. Searching other modules is slow, so it comes last.
  public static Optional<Registration> find(String name) {
    Optional<Registration> own =
        OWN.stream().filter(entry -> entry.name().equals(name)).findFirst();
    if (own.isPresent() && !ELSEWHERE.contains(name)) {
      return own;
    }
    return added().stream().filter(entry -> entry.name().equals(name)).findFirst().or(() -> own);
  }

  public static List<String> names() {
    return all().stream().map(Registration::name).toList();
  }

  private static List<Registration> all() {
    Map<String, Registration> all = new LinkedHashMap<>();
    OWN.forEach(entry -> all.put(entry.name(), entry));
    added().forEach(entry -> all.put(entry.name(), entry));
    return List.copyOf(all.values());
  }

  /// Commands of other modules appear at the place that the registry reserves for their name.
  private static List<Registration> added() {
    return ServiceLoader.load(CommandProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .map(provider ->
            new Registration(
                OWN.stream()
                    .filter(entry -> entry.name().equals(provider.name()))
                    .map(Registration::group)
                    .findFirst()
                    .orElse("OTHER"),
                provider.name(),
                provider.summary(),
                provider::create))
        .toList();
  }

  /// The tree of commands.
  public static String overview() {
    StringBuilder text =
        new StringBuilder(
            """
            headgate jobs                                     your jobs, and why they wait
            headgate submit -q QUEUE --follow -- CMD...       run something and watch it

            """);
    String group = "";
    for (Registration entry : all()) {
      String heading = entry.group().equals(group) ? "" : entry.group();
      group = entry.group();
      text.append("%-10s %-12s %s%n".formatted(heading, entry.name(), entry.summary()));
    }
    return text.append(
            """

            Each command: headgate COMMAND --help. Topics: headgate help formats, configuration, job, platform,
            scenario, exit-codes, reasons, rules, environment, states.\
            """)
        .toString();
  }
}

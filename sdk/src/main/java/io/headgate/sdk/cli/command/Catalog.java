package io.headgate.sdk.cli.command;

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
public final class Catalog {
  /// Brought by a server installation, shown by every command line.
  private static final Set<String> ELSEWHERE = Set.of("up", "simulate");

  private static final List<Entry> OWN =
      List.of(
          new Entry("START", "up", "everything on this machine", UpElsewhereCommand::new),
          new Entry("START", "login", "sign in to a server", LoginCommand::new),
          new Entry("START", "logout", "forget the key of a context", LogoutCommand::new),
          new Entry("START", "whoami", "who you are and what you may use", WhoAmICommand::new),
          new Entry("START", "context", "list, use or set contexts", ContextCommand::new),
          new Entry("JOBS", "submit", "submit a job to a queue", SubmitCommand::new),
          new Entry("JOBS", "jobs", "your jobs, or one of them", JobsCommand::new),
          new Entry("JOBS", "explain", "why a job stands as it does", ExplainCommand::new),
          new Entry("JOBS", "logs", "what a job printed", LogsCommand::new),
          new Entry("JOBS", "wait", "wait for jobs", WaitCommand::new),
          new Entry("JOBS", "cancel", "cancel jobs", CancelCommand::new),
          new Entry("JOBS", "requeue", "put jobs back in their queues", RequeueCommand::new),
          new Entry("SEE", "queues", "queues, or one of them", QueuesCommand::new),
          new Entry("SEE", "policies", "policies and their use", PoliciesCommand::new),
          new Entry("SEE", "vaults", "what jobs may run, and get", VaultsCommand::new),
          new Entry("SEE", "profiles", "job sizes", ProfilesCommand::new),
          new Entry("SEE", "pools", "pools and their use", PoolsCommand::new),
          new Entry("SEE", "nodes", "nodes and their devices", NodesCommand::new),
          new Entry("SEE", "events", "what happened, or happens", EventsCommand::new),
          new Entry("CONFIGURE", "plan", "what a file would change and do", PlanCommand::new),
          new Entry("CONFIGURE", "apply", "make the tenant look like a file", ApplyCommand::new),
          new Entry("CONFIGURE", "export", "write the configuration", ExportCommand::new),
          new Entry("OPERATE", "drain", "no new work for nodes", DrainCommand::new),
          new Entry("OPERATE", "undrain", "put nodes back into service", UndrainCommand::new),
          new Entry("OPERATE", "forget", "nodes that do not come back", ForgetCommand::new),
          new Entry("OPERATE", "join-token", "let machines join a pool", JoinTokenCommand::new),
          new Entry("OPERATE", "join-tokens", "list or revoke join tokens", JoinTokensCommand::new),
          new Entry("OPERATE", "keys", "list, make or revoke keys", KeysCommand::new),
          new Entry(
              "WHAT-IF",
              "simulate",
              "see what the scheduler would decide, without servers",
              SimulateElsewhereCommand::new),
          new Entry("WHAT-IF", "snapshot", "what stands now, as a scenario", SnapshotCommand::new),
          new Entry("OTHER", "completion", "completion for bash or zsh", CompletionCommand::new),
          new Entry("OTHER", "version", "the version of this program", VersionCommand::new),
          new Entry("OTHER", "help", "help on commands and topics", HelpCommand::new));

  private Catalog() {}

  /// One command.
  public record Entry(
      String group, String name, String summary, Supplier<? extends CliCommand> create) {}

  /// A command by its name. Other modules are asked last: finding them costs time.
  public static Optional<Entry> find(String name) {
    Optional<Entry> own = OWN.stream().filter(entry -> entry.name().equals(name)).findFirst();
    if (own.isPresent() && !ELSEWHERE.contains(name)) {
      return own;
    }
    return added().stream().filter(entry -> entry.name().equals(name)).findFirst().or(() -> own);
  }

  public static List<String> names() {
    return all().stream().map(Entry::name).toList();
  }

  private static List<Entry> all() {
    Map<String, Entry> all = new LinkedHashMap<>();
    OWN.forEach(entry -> all.put(entry.name(), entry));
    added().forEach(entry -> all.put(entry.name(), entry));
    return List.copyOf(all.values());
  }

  /// What other modules bring stands where the catalog expects it.
  private static List<Entry> added() {
    return ServiceLoader.load(CommandProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .map(provider ->
            new Entry(
                OWN.stream()
                    .filter(entry -> entry.name().equals(provider.name()))
                    .map(Entry::group)
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
    for (Entry entry : all()) {
      String heading = entry.group().equals(group) ? "" : entry.group();
      group = entry.group();
      text.append("%-10s %-12s %s%n".formatted(heading, entry.name(), entry.summary()));
    }
    return text.append(
            """

            Each command: headgate COMMAND --help. Topics: headgate help formats, exit-codes, reasons,
            rules, environment, states.\
            """)
        .toString();
  }
}

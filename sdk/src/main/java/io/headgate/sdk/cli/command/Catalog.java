package io.headgate.sdk.cli.command;

import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.CommandProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/// All commands, by group, in the order in which help shows them.
public final class Catalog {
  private static final List<Entry> OWN =
      List.of(
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
          new Entry("SEE", "profiles", "job sizes", ProfilesCommand::new),
          new Entry("SEE", "pools", "pools and their use", PoolsCommand::new),
          new Entry("SEE", "nodes", "nodes and their devices", NodesCommand::new),
          new Entry("SEE", "events", "what happened, or happens", EventsCommand::new),
          new Entry("CONFIGURE", "plan", "what a file would change", PlanCommand::new),
          new Entry("CONFIGURE", "apply", "make the tenant look like a file", ApplyCommand::new),
          new Entry("CONFIGURE", "export", "write the configuration", ExportCommand::new),
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
    if (own.isPresent()) {
      return own;
    }
    Optional<Entry> added = added().stream().filter(entry -> entry.name().equals(name)).findFirst();
    return added.isEmpty() && name.equals("up")
        ? Optional.of(new Entry("START", "up", "", UpElsewhereCommand::new))
        : added;
  }

  public static List<String> names() {
    return all().stream().map(Entry::name).toList();
  }

  private static List<Entry> all() {
    List<Entry> all = new ArrayList<>(added());
    all.addAll(OWN);
    return all;
  }

  private static List<Entry> added() {
    return ServiceLoader.load(CommandProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .map(provider -> new Entry("START", provider.name(), provider.summary(), provider::create))
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
      text.append("%-10s %-11s %s%n".formatted(heading, entry.name(), entry.summary()));
    }
    return text.append(
            """

            Each command: headgate COMMAND --help. Topics: headgate help formats, exit-codes, reasons,
            environment, states.\
            """)
        .toString();
  }
}

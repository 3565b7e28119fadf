package io.headgate.sdk.cli.command.access;

import io.headgate.sdk.cli.context.Context;
import io.headgate.sdk.cli.context.Contexts;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.JsonText;
import io.headgate.sdk.cli.output.OutputForm;
import io.headgate.sdk.cli.output.Table;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.model.ServerAddress;
import io.headgate.type.NearestName;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate context`.
@Command(
    header = {
      "headgate context                           all contexts; * is the selected one",
      "headgate context use staging               select another one",
      "headgate context set --tenant acme         change the selected context",
      ""
    },
    description =
        "Lists, selects or changes contexts: a server, a tenant and a key under one name.")
public final class ContextCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "list|use|set",
      description = "Action (default: list).")
  private String action = "list";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "NAME",
      description = "Name of the context.")
  private @Nullable String name;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws IOException {
    Contexts contexts = invocation.contexts().load();
    switch (action) {
      case "list" -> list(invocation, contexts);
      case "use" -> use(invocation, contexts);
      case "set" -> set(invocation, contexts);
      default ->
          throw new UsageException(
              "\"" + action + "\" is not an action of headgate context",
              "UNKNOWN_ARGUMENT",
              "headgate context list, use NAME or set [NAME] --server URL --tenant ID");
    }
    return ExitCode.DONE;
  }

  private static void list(Invocation invocation, Contexts contexts) throws IOException {
    if (invocation.contexts().isExposed()) {
      invocation
          .output()
          .note(
              "warning: other users can read your keys: chmod 600 " + invocation.contexts().file());
    }
    OutputForm.Kind kind = invocation.form().kind();
    if (kind == OutputForm.Kind.NAME) {
      contexts.all().forEach(context -> invocation.output().line(context.name()));
    } else if (invocation.form().isJson()) {
      invocation.output().line(JsonText.of(json(contexts)));
    } else if (contexts.all().isEmpty()) {
      invocation.output().note("No contexts. Sign in: headgate login --server URL");
    } else {
      List<Column<Context>> columns =
          List.of(
              Column.of(
                  " ", context -> Cell.of(context.name().equals(contexts.current()) ? "*" : " ")),
              Column.of("CONTEXT", context -> Cell.of(context.name())),
              Column.of("SERVER", context -> Cell.of(context.server())),
              Column.of(
                  "TENANT", context -> Cell.of(context.tenant() == null ? "" : context.tenant())),
              Column.of("KEY", context -> Cell.of(context.key() == null ? "none" : "stored")));
      new Table<>(columns, invocation.output().paint(), invocation.output().symbols())
          .lines(contexts.all(), true, 0)
          .forEach(invocation.output()::line);
    }
  }

  /// The key is never printed.
  private static Map<String, Object> json(Contexts contexts) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("current", contexts.current() == null ? "" : contexts.current());
    json.put(
        "contexts",
        contexts.all().stream()
            .map(context -> {
              Map<String, Object> entry = new LinkedHashMap<>();
              entry.put("name", context.name());
              entry.put("server", context.server());
              entry.put("tenant", context.tenant() == null ? "" : context.tenant());
              entry.put("signedIn", context.key() != null);
              return entry;
            })
            .toList());
    return json;
  }

  private void use(Invocation invocation, Contexts contexts) throws IOException {
    if (name == null) {
      throw new UsageException(
          "the name of the context is missing",
          "ARGUMENT_MISSING",
          "headgate context use NAME; all contexts: headgate context");
    }
    Context context = find(contexts, name);
    invocation.contexts().save(contexts.select(context.name()));
    invocation.output().line("selected " + text(context));
  }

  private void set(Invocation invocation, Contexts contexts) throws IOException {
    String chosen = name != null ? name : contexts.current();
    if (chosen == null) {
      throw new UsageException(
          "no context is selected", "CONTEXT_NOT_FOUND", "headgate context set NAME --server URL");
    }
    Context before = contexts.find(chosen).orElse(null);
    String server = global.server != null ? global.server : before == null ? null : before.server();
    if (server == null) {
      throw new UsageException(
          "context \"" + chosen + "\" does not exist",
          "CONTEXT_NOT_FOUND",
          "to create it, name its server: --server URL");
    }
    ServerAddress address;
    try {
      address = ServerAddress.parse(server);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), "BAD_SERVER_ADDRESS");
    }
    // A key belongs to one server, so a change of the server deletes it.
    Context kept =
        before != null && before.server().equals(address.toString())
            ? before
            : new Context(chosen, address.toString(), null, null, null);
    Context after =
        kept.withTenant(
            global.tenant != null ? global.tenant : before == null ? null : before.tenant());
    Contexts next = contexts.with(after);
    invocation.contexts().save(next.current() == null ? next.select(chosen) : next);
    invocation.output().line("changed " + text(after));
  }

  /// `context "local": https://gate.example:7400, tenant acme`.
  private static String text(Context context) {
    String tenant = context.tenant();
    return "context \"%s\": %s, %s"
        .formatted(
            context.name(),
            context.server(),
            tenant == null ? "the tenant that you belong to" : "tenant " + tenant);
  }

  private static Context find(Contexts contexts, String name) {
    List<String> names = contexts.all().stream().map(Context::name).toList();
    return contexts
        .find(name)
        .orElseThrow(() ->
            new UsageException(
                "context \"" + name + "\" does not exist",
                "CONTEXT_NOT_FOUND",
                NearestName.suggestion(name, names).orElse("contexts: headgate context")));
  }
}

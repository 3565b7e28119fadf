package io.headgate.sdk.cli.command.access;

import io.headgate.sdk.cli.context.Context;
import io.headgate.sdk.cli.context.Contexts;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `headgate logout`.
@Command(
    header = {
      "headgate logout                       forget the key of the selected context",
      "headgate logout --context staging     forget the key of another context",
      ""
    },
    description = "Forgets a key. The key itself stays valid until it is revoked.")
public final class LogoutCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws IOException {
    Contexts contexts = invocation.contexts().load();
    Optional<Context> context =
        global.context == null ? contexts.selected() : contexts.find(global.context);
    Context found =
        context.orElseThrow(() ->
            new UsageException(
                "no context is selected, so there is no key to forget",
                "CONTEXT_NOT_FOUND",
                "name one: headgate logout --context NAME; all contexts: headgate context"));
    invocation.contexts().save(contexts.with(found.withKey(null)));
    invocation.output().line("signed out of " + found.server());
    return ExitCode.DONE;
  }
}

package io.headgate.sdk.cli.command.top;

import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.Output;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `headgate top`.
@Command(
    header = {
      "headgate top         pools, policies and events, live; ? shows the keys",
      "headgate top | cat   one frame",
      ""
    },
    description = {
      "Shows pools, policies, jobs and nodes, once a second. Without a terminal it prints one frame."
    })
public final class TopCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws IOException, InterruptedException {
    TopFetch fetch = new TopFetch(invocation.session(), invocation.environment().clock());
    // Before the screen is taken, so that a refusal is an error like that of any other command.
    TopData first = fetch.fetch(new TopFetch.Question(TopView.POOLS, "", 1));
    if (first.pools().isEmpty()) {
      invocation.session().requireTenant();
    }
    if (invocation.output().terminal() && invocation.environment().inTerminal()) {
      return new TopLoop(invocation, fetch, first).run();
    }
    Output output = invocation.output();
    int width = output.width().getAsInt();
    new TopRenderer(output.paint(), output.symbols(), output.times(), width, 0)
        .lines(new TopFrame(first, TopState.FIRST, Optional.empty(), false))
        .forEach(output::line);
    return 0;
  }
}

package io.headgate.sdk.cli.command;

import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Unmatched;

/// `headgate agent`, which `deploy/headgate` runs itself; the command line alone has no agent.
@Command(
    header = {
      "deploy/headgate agent --data DIR --server URL --join-token-file FILE    from a checkout",
      "headgate-agent --data DIR --server URL --join-token-file FILE           where it is installed",
      ""
    },
    description =
        "Runs on this machine what the scheduler assigns; see docs/operations/node-agent.md.")
public final class AgentElsewhereCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Unmatched private final List<String> ignored = new ArrayList<>();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    throw new UsageException(
        "the command line has no agent of its own",
        "NOT_INSTALLED",
        "from a checkout: deploy/headgate agent --data DIR --server URL --join-token-file FILE",
        "from the archive of the agent: headgate-agent");
  }
}

package io.headgate.sdk.cli.command.simulation;

import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Unmatched;

/// Replaces `simulate` where only the command line, without the scheduling core, is installed.
@Command(
    header = {
      "deploy/headgate simulate FILE                 from a checkout: run a scenario",
      "deploy/headgate simulate FILE --view gantt    when and where each job ran",
      ""
    },
    description = "Needs a server installation; only the command line is installed here.")
public final class SimulateElsewhereCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Unmatched private final List<String> ignored = new ArrayList<>();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    throw new UsageException(
        "only the command line is installed here; simulate needs a server installation",
        "NOT_INSTALLED",
        "from a checkout: deploy/headgate simulate FILE");
  }
}

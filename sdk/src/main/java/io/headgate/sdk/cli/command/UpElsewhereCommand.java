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

/// Replaces `up` where only the command line is installed.
@Command(
    header = {
      "deploy/headgate up           from a checkout: the whole system on this machine",
      "deploy/headgate up --demo    the same with simulated GPUs and real jobs",
      ""
    },
    description = "Needs a server installation; only the command line is installed here.")
public final class UpElsewhereCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Unmatched private final List<String> ignored = new ArrayList<>();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    throw new UsageException(
        "only the command line is installed here; up needs a server installation",
        "NOT_INSTALLED",
        "from a checkout: deploy/headgate up",
        "for a server that runs elsewhere: headgate login --server URL");
  }
}

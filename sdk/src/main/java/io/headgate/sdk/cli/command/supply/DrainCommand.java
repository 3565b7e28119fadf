package io.headgate.sdk.cli.command.supply;

import io.headgate.sdk.cli.command.shared.NamedItems;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.client.CatalogClient;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate drain`.
@Command(
    header = {
      "headgate drain gpu-03 --reason 'new power supply'",
      "headgate drain gpu-03 gpu-04       several at once",
      ""
    },
    description = "Takes nodes out of service. They get no new work; their running jobs continue.")
public final class DrainCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(arity = "1..*", paramLabel = "NODE", description = "Ids of the nodes.")
  private List<String> nodes = List.of();

  @Option(names = "--reason", paramLabel = "TEXT", description = "Reason that others see.")
  private String reason = "";

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    CatalogClient catalog = invocation.session().client().catalog(invocation.session().tenant());
    return NamedItems.run(
        invocation,
        nodes,
        node -> {
          catalog.drain(node, reason);
          invocation.output().line(node + " gets no new work; its running jobs continue");
        });
  }
}

package io.headgate.sdk.cli.command.supply;

import io.headgate.sdk.cli.command.shared.NamedItems;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.client.CatalogClient;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate undrain`.
@Command(
    header = {"headgate undrain gpu-03", "headgate undrain gpu-03 gpu-04     several at once", ""},
    description = "Puts nodes back into service.")
public final class UndrainCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(arity = "1..*", paramLabel = "NODE", description = "Ids of the nodes.")
  private List<String> nodes = List.of();

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
          catalog.undrain(node);
          invocation.output().line(node + " takes work again");
        });
  }
}

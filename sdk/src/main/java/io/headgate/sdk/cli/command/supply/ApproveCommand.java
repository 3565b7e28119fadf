package io.headgate.sdk.cli.command.supply;

import io.headgate.sdk.cli.command.shared.NamedItems;
import io.headgate.sdk.cli.command.shared.Prompt;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.client.CatalogClient;
import io.headgate.sdk.model.Node;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate approve`.
@Command(
    header = {"headgate approve gpu-03", "headgate approve gpu-03 gpu-04     several at once", ""},
    description =
        "Believes what nodes in quarantine report. They get work once their agents report again,"
            + " within 30 s. Look first: headgate nodes NODE.")
public final class ApproveCommand implements CliCommand {
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
    List<String> refused = new ArrayList<>();
    int exitCode =
        NamedItems.run(
            invocation,
            nodes,
            name -> {
              Node.Quarantine quarantine = catalog.node(name).quarantine();
              if (quarantine == null) {
                invocation.output().line(name + " is not in quarantine");
              } else if (isConfirmed(invocation, name, quarantine)) {
                catalog.approve(name, quarantine.etag());
                invocation.output().line(name + " is believed: " + quarantine.claims());
              } else {
                refused.add(name);
                invocation.output().note(name + " stays in quarantine");
              }
            });
    return refused.isEmpty() ? exitCode : ExitCode.REFUSED;
  }

  /// The question has the claims, so that the admin approves what it shows and nothing later.
  private static boolean isConfirmed(
      Invocation invocation, String name, Node.Quarantine quarantine) {
    return new Prompt(invocation)
        .confirms(
            "Believe that %s has %s?".formatted(name, quarantine.claims()),
            "the approval of " + name + " (" + quarantine.claims() + ")",
            "approve");
  }
}

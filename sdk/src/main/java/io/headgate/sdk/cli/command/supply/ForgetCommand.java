package io.headgate.sdk.cli.command.supply;

import io.headgate.sdk.cli.command.shared.NamedItems;
import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.client.CatalogClient;
import io.headgate.sdk.model.Usage;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate forget`.
@Command(
    header = {"headgate forget gpu-03", "headgate forget gpu-03 gpu-04      several at once", ""},
    description =
        "Removes nodes that do not come back. A job of such a node is given up once it is certain"
            + " that it has ended. A job with stopAfter: never is given up at once, so make sure"
            + " that the machine is off. For admins.")
public final class ForgetCommand implements CliCommand {
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
    List<String> connected =
        catalog.nodeUsages().stream()
            .filter(usage -> usage.contact() == Usage.Contact.CONNECTED)
            .map(Usage.OfNode::id)
            .toList();
    return NamedItems.run(
        invocation,
        nodes,
        node -> {
          if (connected.contains(node)) {
            throw connected(node);
          }
          catalog.deleteNode(node);
          invocation.output().line(node + " is forgotten; its jobs are given up");
        });
  }

  private static CliFailure connected(String node) {
    ErrorFrame frame =
        ErrorFrame.usage(
            node + " is connected; only a node without contact can be forgotten",
            "NODE_CONNECTED",
            List.of(
                "stop its agent first; to keep new work from it: headgate drain %s"
                    .formatted(node)));
    return new CliFailure(List.of(frame), ExitCode.USAGE, null);
  }
}

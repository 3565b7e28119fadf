package io.headgate.sdk.cli.command.supply;

import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.client.CatalogClient;
import io.headgate.sdk.model.Node;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate label`.
@Command(
    header = {
      "headgate label gpu-03 rack=r7 zone=b    sets two labels",
      "headgate label gpu-03 rack-             removes one",
      ""
    },
    description =
        "Sets and removes labels of a node. headgate nodes -o wide shows them. Placement does not"
            + " look at them. For admins.")
public final class LabelCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(index = "0", paramLabel = "NODE", description = "Id of the node.")
  private String node = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "KEY=VALUE",
      description = "Labels to set. KEY- removes one.")
  private List<String> changes = List.of();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    Map<String, String> set = new LinkedHashMap<>();
    List<String> removed = new ArrayList<>();
    for (String change : changes) {
      int equals = change.indexOf('=');
      if (equals > 0) {
        set.put(change.substring(0, equals), change.substring(equals + 1));
      } else if (equals < 0 && change.length() > 1 && change.endsWith("-")) {
        removed.add(change.substring(0, change.length() - 1));
      } else {
        throw new UsageException(
            "\"" + change + "\" is no change of a label",
            "BAD_LABEL",
            "write KEY=VALUE to set a label, or KEY- to remove it");
      }
    }
    CatalogClient catalog = invocation.session().client().catalog(invocation.session().tenant());
    invocation.output().line(node + ": " + text(catalog.label(node, set, removed)));
    return ExitCode.DONE;
  }

  /// `rack=r7 zone=b`, by key.
  static String labels(Node node) {
    return String.join(
        " ",
        node.labels().entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .toList());
  }

  private static String text(Node node) {
    return node.labels().isEmpty() ? "no labels" : labels(node);
  }
}

package io.headgate.sdk.cli.command.access;

import io.headgate.proto.policy.v1.WhoAmIResponse;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.model.Identity;
import io.headgate.sdk.wire.RightsMessages;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `headgate whoami`.
@Command(
    header = {
      "headgate whoami             your identity, groups and queues",
      "headgate whoami -o name     only the name",
      ""
    },
    description = "Shows your identity on the server, your groups and your queues.")
public final class WhoAmICommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    WhoAmIResponse message = invocation.session().identity().whoAmI();
    listing(invocation.session().server())
        .printOne(
            Row.of(RightsMessages.identity(message), "identity", "identities", message),
            invocation.form(),
            invocation.output());
    return ExitCode.DONE;
  }

  private static Listing<Identity> listing(String server) {
    return new Listing<>(
        "identities",
        List.of("identities"),
        Identity::subject,
        List.of(
            Column.of("NAME", identity -> Cell.of(identity.subject())),
            Column.of(
                "ROLE",
                identity -> Cell.of(identity.role().toLowerCase(Locale.ROOT).replace('_', ' '))),
            Column.of("TENANT", identity -> Cell.of(identity.tenant())),
            Column.of("GROUPS", identity -> Cell.of(String.join(", ", identity.groups()))),
            Column.of("QUEUES", identity -> Cell.of(String.join(", ", identity.queues()))),
            Column.of("SERVER", _ -> Cell.of(server))));
  }
}

package io.headgate.sdk.cli.command.access;

import io.headgate.proto.policy.v1.Tenant;
import io.headgate.sdk.cli.command.shared.NamedList;
import io.headgate.sdk.cli.command.shared.Prompt;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.ListFlags;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.wire.ResourceNames;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate tenants`.
@Command(
    header = {
      "headgate tenants                             the tenants; others than operators see their own",
      "headgate tenants add globex                  then: headgate admins add ada -t globex",
      "headgate tenants remove globex               for ever: its id is not used again",
      ""
    },
    description =
        "Lists, adds and removes tenants. Only operators add and remove them. Only a tenant without"
            + " policies can be removed.")
public final class TenantsCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "list|add|remove",
      description = "Action (default: list).")
  private String action = "list";

  @Parameters(index = "1..*", paramLabel = "TENANT", description = "Ids of the tenants.")
  private List<String> tenants = List.of();

  @Option(
      names = "--display-name",
      paramLabel = "TEXT",
      description = "With add: the tenant's name for people.")
  private String displayName = "";

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    return switch (action) {
      case "list" -> list(invocation);
      case "add" -> add(invocation);
      case "remove" -> remove(invocation);
      default ->
          throw new UsageException(
              "\"" + action + "\" is not an action of headgate tenants",
              "UNKNOWN_ARGUMENT",
              "headgate tenants list, add TENANT or remove TENANT");
    };
  }

  private int list(Invocation invocation) throws InterruptedException {
    return new NamedList<>(
            "tenant",
            LISTING,
            () ->
                invocation.session().identity().tenants().stream()
                    .map(tenant -> Row.of(tenant, "tenant", "tenants", tenant))
                    .toList())
        .run(invocation, list, null);
  }

  private static final Listing<Tenant> LISTING =
      new Listing<>(
          "tenants",
          List.of("tenants"),
          tenant -> ResourceNames.id(tenant.getName()),
          List.of(
              Column.of("TENANT", tenant -> Cell.of(ResourceNames.id(tenant.getName()))),
              Column.of("NAME", tenant -> Cell.of(tenant.getDisplayName()))));

  private int add(Invocation invocation) {
    requireNames();
    if (tenants.size() > 1 && !displayName.isEmpty()) {
      throw new UsageException(
          "--display-name names one tenant, and " + tenants.size() + " are added",
          "CONTRADICTION",
          "add them one by one");
    }
    for (String tenant : tenants) {
      invocation.session().identity().createTenant(tenant, displayName);
      invocation.output().line(tenant + " is a tenant");
    }
    invocation.output().note("give it an admin: headgate admins add USER -t " + tenants.getLast());
    return ExitCode.DONE;
  }

  private int remove(Invocation invocation) {
    requireNames();
    String what =
        tenants.size() == 1 ? "tenant " + tenants.getFirst() : tenants.size() + " tenants";
    if (!new Prompt(invocation)
        .confirms("Remove " + what + " for ever?", "the removal of " + what, "remove")) {
      invocation.output().note("nothing was removed");
      return ExitCode.REFUSED;
    }
    for (String tenant : tenants) {
      invocation.session().identity().deleteTenant(tenant);
      invocation.output().line(tenant + " is removed");
    }
    return ExitCode.DONE;
  }

  private void requireNames() {
    if (tenants.isEmpty()) {
      throw new UsageException(
          "the tenant is missing", "ARGUMENT_MISSING", "headgate tenants " + action + " TENANT");
    }
  }
}

package io.headgate.sdk.cli.command.access;

import io.headgate.proto.policy.v1.User;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.ListFlags;
import io.headgate.sdk.cli.frame.Session;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.model.HeadgateException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate admins`.
@Command(
    header = {
      "headgate admins                  the users who govern the tenant",
      "headgate admins add ada          ada governs it from now on; an absent user is made",
      "headgate admins remove ada       ada stays as a member",
      ""
    },
    description = "Lists, adds and removes admins of a tenant. For its admins, and operators.")
public final class AdminsCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "list|add|remove",
      description = "Action (default: list).")
  private String action = "list";

  @Parameters(index = "1..*", paramLabel = "USER", description = "Ids of the users.")
  private List<String> users = List.of();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    return switch (action) {
      case "list" -> UsersCommand.list(invocation, list, "admins", User::getAdmin);
      case "add" -> change(invocation, true);
      case "remove" -> change(invocation, false);
      default ->
          throw new UsageException(
              "\"" + action + "\" is not an action of headgate admins",
              "UNKNOWN_ARGUMENT",
              "headgate admins list, add USER or remove USER");
    };
  }

  private int change(Invocation invocation, boolean admin) {
    if (users.isEmpty()) {
      throw new UsageException(
          "the user is missing", "ARGUMENT_MISSING", "headgate admins " + action + " USER");
    }
    Session session = invocation.session();
    for (String user : users) {
      set(session, user, admin);
      invocation.output().line(user + (admin ? " is an admin" : " is no admin"));
    }
    return ExitCode.DONE;
  }

  private static void set(Session session, String user, boolean admin) {
    try {
      session.identity().setAdmin(session.tenant(), user, admin);
    } catch (HeadgateException e) {
      if (!admin || !e.reason().equals("USER_NOT_FOUND")) {
        throw e;
      }
      session.identity().createAdmin(session.tenant(), user);
    }
  }
}

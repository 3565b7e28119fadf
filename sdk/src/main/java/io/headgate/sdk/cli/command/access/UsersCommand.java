package io.headgate.sdk.cli.command.access;

import io.headgate.proto.policy.v1.User;
import io.headgate.sdk.cli.command.shared.NamedList;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.ListFlags;
import io.headgate.sdk.cli.frame.Session;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.wire.ResourceNames;
import java.util.List;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `headgate users`.
@Command(
    header = {
      "headgate users             the users of the tenant; members see themselves",
      "headgate users -o name     only their ids",
      ""
    },
    description = "Lists users with their role. Groups of a configuration add them.")
public final class UsersCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    return list(invocation, list, "users", _ -> true);
  }

  static int list(Invocation invocation, ListFlags flags, String noun, Predicate<User> shown)
      throws InterruptedException {
    return new NamedList<>("user", listing(noun), () -> rows(invocation.session(), shown))
        .run(invocation, flags, null);
  }

  private static List<Row<User>> rows(Session session, Predicate<User> shown) {
    return session.identity().users(session.tenant()).stream()
        .filter(shown)
        .map(user -> Row.of(user, "user", "users", user))
        .toList();
  }

  private static Listing<User> listing(String noun) {
    return new Listing<>(
        noun,
        List.of("users"),
        user -> ResourceNames.id(user.getName()),
        List.of(
            Column.of("USER", user -> Cell.of(ResourceNames.id(user.getName()))),
            Column.of("ROLE", user -> Cell.of(user.getAdmin() ? "admin" : "member")),
            Column.of("NAME", user -> Cell.of(user.getDisplayName()))));
  }
}

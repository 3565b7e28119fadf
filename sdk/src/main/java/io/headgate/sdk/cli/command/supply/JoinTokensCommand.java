package io.headgate.sdk.cli.command.supply;

import io.headgate.sdk.cli.command.shared.KeyId;
import io.headgate.sdk.cli.command.shared.NamedList;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.ListFlags;
import io.headgate.sdk.cli.frame.Session;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.cli.output.TimeText;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.model.JoinToken;
import io.headgate.sdk.wire.ResourceNames;
import io.headgate.sdk.wire.RightsMessages;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `headgate join-tokens`.
@Command(
    header = {
      "headgate join-tokens                              valid tokens, without their" + " secrets",
      "headgate join-tokens revoke 5d41402abc4b2a76      no more machines join with it",
      ""
    },
    description = "Lists and revokes tokens of headgate join-token. For admins.")
public final class JoinTokensCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "list|revoke",
      description = "Action (default: list).")
  private String action = "list";

  @Parameters(index = "1..*", paramLabel = "TOKEN", description = "Ids of the tokens.")
  private List<String> names = List.of();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    return switch (action) {
      case "list" -> list(invocation);
      case "revoke" -> revoke(invocation);
      default ->
          throw new UsageException(
              "\"" + action + "\" is not an action of headgate join-tokens",
              "UNKNOWN_ARGUMENT",
              "headgate join-tokens list or revoke TOKEN; a new one: headgate join-token POOL");
    };
  }

  private int list(Invocation invocation) throws InterruptedException {
    return new NamedList<>(
            "join token", listing(invocation.output().times()), () -> rows(invocation.session()))
        .run(invocation, list, names.isEmpty() ? null : id(names.getFirst()));
  }

  private int revoke(Invocation invocation) {
    if (names.isEmpty()) {
      throw new UsageException(
          "the join token is missing",
          "ARGUMENT_MISSING",
          "headgate join-tokens revoke TOKEN; all of them: headgate join-tokens");
    }
    Session session = invocation.session();
    for (String name : names) {
      session.identity().revokeJoinToken(session.tenant(), id(name));
      invocation.output().line("revoked " + id(name));
    }
    invocation
        .output()
        .note("machines that joined with it stay; to exclude one: headgate keys revoke KEY");
    return ExitCode.DONE;
  }

  private static String id(String name) {
    return KeyId.of(name, "join token", "join-tokens");
  }

  private static List<Row<JoinToken>> rows(Session session) {
    return session.identity().listJoinTokens(session.tenant()).stream()
        .map(token -> Row.of(RightsMessages.joinToken(token), "joinToken", "joinTokens", token))
        .toList();
  }

  private static Listing<JoinToken> listing(TimeText times) {
    return new Listing<>(
        "join-tokens",
        List.of("joinTokens"),
        token -> ResourceNames.id(token.name()),
        List.of(
            Column.of("TOKEN", token -> Cell.of(ResourceNames.id(token.name()))),
            Column.of("POOL", token -> Cell.of(token.pool())),
            Column.of("LEFT", token -> Cell.of(token.usesLeft() + " of " + token.uses())),
            Column.<JoinToken>of("MADE", token -> Cell.of(times.ago(token.createTime())))
                .leaving(1)
                .plainly(token -> TimeText.machine(token.createTime())),
            Column.<JoinToken>of("EXPIRES", token -> Cell.of(times.exact(token.expireTime())))
                .plainly(token -> TimeText.machine(token.expireTime()))));
  }
}

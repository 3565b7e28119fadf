package io.headgate.sdk.cli.command.supply;

import io.headgate.proto.policy.v1.CreateJoinTokenResponse;
import io.headgate.sdk.cli.command.shared.RequestFieldFlags;
import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ErrorFrames;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.frame.Session;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.cli.output.TimeText;
import io.headgate.sdk.config.EnglishText;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.wire.ResourceNames;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate join-token`.
@Command(
    header = {
      "(umask 077; headgate join-token onprem > token)           for one machine, valid for an hour",
      "headgate join-token onprem --uses 8 --expires 24h > token",
      "headgate-agent --data /var/lib/headgate --server URL --join-token-file token    on each of"
          + " them",
      ""
    },
    description =
        "Creates a token with which machines join a pool. It is printed only once. For admins.")
public final class JoinTokenCommand implements CliCommand {
  private static final Duration USUAL_LIFE = Duration.ofHours(1);
  private static final RequestFieldFlags FLAGS =
      new RequestFieldFlags(Map.of("pool", "POOL", "uses", "--uses", "time_to_live", "--expires"));

  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(paramLabel = "POOL", description = "Pool that the machines join.")
  private String pool = "";

  @Option(
      names = "--uses",
      paramLabel = "N",
      description = "Number of machines that may join with the token (default: 1).")
  private int uses = 1;

  @Option(
      names = "--expires",
      paramLabel = "TIME",
      description = "Lifetime of the token, at most 24h (default: 1h).")
  private @Nullable String expires;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    Duration life = expires == null ? USUAL_LIFE : Invocation.duration("--expires", expires);
    CreateJoinTokenResponse made = make(invocation, life);
    switch (invocation.form().kind()) {
      case JSON, JSONL, YAML ->
          new Listing<String>("joinTokens", List.of("joinTokens"), it -> it, List.of())
              .printOne(
                  Row.of(pool, "joinToken", "joinTokens", made),
                  invocation.form(),
                  invocation.output());
      // Prints only the token, so that the output can go straight into a file.
      case TABLE, WIDE, CSV, NAME, COLUMNS -> invocation.output().line(made.getJoinToken());
    }
    invocation
        .output()
        .note(
            "join token %s lets %s join pool %s, valid for %s. It is not shown again."
                .formatted(
                    ResourceNames.id(made.getName()),
                    EnglishText.count(uses, "machine"),
                    pool,
                    TimeText.span(life)));
    invocation
        .output()
        .note(
            "on a machine, with the token alone in the file join.token:\n"
                + "headgate-agent --data /var/lib/headgate --server "
                + invocation.session().server()
                + " --join-token-file join.token");
    return ExitCode.DONE;
  }

  private CreateJoinTokenResponse make(Invocation invocation, Duration life) {
    Session session = invocation.session();
    try {
      return session.identity().createJoinToken(session.tenant(), pool, uses, life);
    } catch (HeadgateException e) {
      ErrorFrame frame = FLAGS.in(ErrorFrames.of(e, session.server()), e);
      throw new CliFailure(List.of(frame), ExitCode.of(e), null);
    }
  }
}

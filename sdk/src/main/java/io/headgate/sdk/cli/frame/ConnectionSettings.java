package io.headgate.sdk.cli.frame;

import io.headgate.sdk.cli.context.Context;
import io.headgate.sdk.cli.context.Contexts;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.ServerAddress;
import io.headgate.sdk.wire.ConnectionListener;
import io.headgate.type.NearestName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Chooses server, credentials and tenant from flags, variables and the context.
final class ConnectionSettings {
  /// A user at a terminal waits for an unreachable server only briefly.
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /// A strong reference: the log manager drops the settings of loggers that are garbage collected.
  private static final Logger GRPC = Logger.getLogger("io.grpc");

  private static final String KEY_VARIABLE = "HEADGATE_KEY";
  private static final Pattern TENANT = Pattern.compile("[a-z]([a-z0-9-]{0,61}[a-z0-9])?");

  private final Invocation invocation;

  ConnectionSettings(Invocation invocation) {
    this.invocation = invocation;
  }

  Session open() {
    if (!invocation.debug()) {
      GRPC.setLevel(
          Level.OFF); // gRPC also reports its failures to the caller; its logged stack traces would
      // only repeat them.
    }
    Optional<Context> context = context();
    String server =
        first(
            invocation.global().server,
            invocation.environment().variable("HEADGATE_SERVER"),
            context.map(Context::server).orElse(null));
    if (server == null) {
      throw new UsageException(
          "no server was named, and no context is selected",
          "SERVER_MISSING",
          "start one on this machine: headgate up",
          "or sign in to one: headgate login --server https://gate.example:7400");
    }
    List<ServerAddress> addresses = addresses(server);
    // A context's key is for the context's server alone.
    Optional<Context> own =
        context.filter(candidate -> addresses(candidate.server()).equals(addresses));
    ClientConfig config =
        ClientConfig.of(addresses.getFirst(), credentials(own))
            .withOthers(addresses.subList(1, addresses.size()))
            .withUserAgent("headgate-cli")
            .withCertificateAuthority(
                own.map(Context::certificateAuthority).map(Path::of).orElse(null));
    Duration deadline = invocation.timeout().orElse(ClientConfig.DEFAULT_DEADLINE);
    config =
        config
            .withDeadline(deadline)
            .withPatience(invocation.timeout().isPresent() ? deadline : PATIENCE);
    String tenant =
        first(
            invocation.global().tenant,
            invocation.environment().variable("HEADGATE_TENANT"),
            context.map(Context::tenant).orElse(null));
    if (tenant != null && !TENANT.matcher(tenant).matches()) {
      throw new UsageException(
          "\"" + tenant + "\" is not a tenant id",
          "BAD_FLAG_VALUE",
          "1 to 63 lower-case letters, digits and hyphens, starting with a letter: --tenant acme");
    }
    String keyFrom =
        invocation.environment().variable(KEY_VARIABLE).isEmpty()
            ? own.map(found -> "context \"" + found.name() + "\"").orElse("nowhere")
            : KEY_VARIABLE;
    return new Session(
        config,
        tenant,
        keyFrom,
        new ConnectionNotes(invocation),
        invocation.environment().variables());
  }

  private Optional<Context> context() {
    try {
      Contexts contexts = invocation.contexts().load();
      String name =
          first(
              invocation.global().context,
              invocation.environment().variable("HEADGATE_CONTEXT"),
              null);
      if (name == null) {
        return contexts.selected();
      }
      return Optional.of(
          contexts
              .find(name)
              .orElseThrow(() ->
                  new UsageException(
                      "context \"" + name + "\" does not exist",
                      "CONTEXT_NOT_FOUND",
                      NearestName.suggestion(
                              name, contexts.all().stream().map(Context::name).toList())
                          .orElse("contexts: headgate context"))));
    } catch (IOException e) {
      throw new UsageException(
          "the context file cannot be read: " + e.getMessage(),
          "CONTEXT_FILE_UNREADABLE",
          "correct or remove " + invocation.contexts().file());
    }
  }

  /// One address, or several of one installation with commas between them.
  static List<ServerAddress> addresses(String text) {
    try {
      return Arrays.stream(text.split(",", -1))
          .map(String::strip)
          .map(ServerAddress::parse)
          .toList();
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), "BAD_SERVER_ADDRESS");
    }
  }

  private Credentials credentials(Optional<Context> context) {
    String key =
        first(
            null,
            invocation.environment().variable(KEY_VARIABLE),
            context.map(Context::key).orElse(null));
    return key == null ? new Credentials.None() : new Credentials.Key(key);
  }

  /// The first value that is not empty.
  private static @Nullable String first(
      @Nullable String flag, String variable, @Nullable String context) {
    if (flag != null) {
      return flag;
    }
    return variable.isEmpty() ? context : variable;
  }

  /// Tells the user at the terminal why the command waits.
  private static final class ConnectionNotes implements ConnectionListener {
    private static final Duration UNTIL_FIRST_NOTE = Duration.ofSeconds(1);
    private static final Duration BETWEEN_NOTES = Duration.ofSeconds(10);

    private final Invocation invocation;
    private final long began = System.nanoTime();
    private long nextNote = UNTIL_FIRST_NOTE.toNanos();

    ConnectionNotes(Invocation invocation) {
      this.invocation = invocation;
    }

    @Override
    public synchronized void retrying(HeadgateException failure) {
      long waited = System.nanoTime() - began;
      if (waited >= nextNote && !invocation.areNotesMuted()) {
        nextNote = waited + BETWEEN_NOTES.toNanos();
        invocation.output().note(failure.getMessage() + "; trying again (Ctrl-C stops)");
      }
    }

    @Override
    public void called(String method, String status, long nanos) {
      if (invocation.debug() && !invocation.areNotesMuted()) {
        invocation
            .output()
            .err()
            .println("debug: %s %s %d ms".formatted(method, status, nanos / 1_000_000));
      }
    }
  }
}

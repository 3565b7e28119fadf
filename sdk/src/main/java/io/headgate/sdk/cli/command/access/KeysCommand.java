package io.headgate.sdk.cli.command.access;

import io.headgate.proto.policy.v1.CreateKeyResponse;
import io.headgate.proto.policy.v1.Key;
import io.headgate.sdk.cli.command.shared.KeyId;
import io.headgate.sdk.cli.command.shared.NameCheck;
import io.headgate.sdk.cli.command.shared.NamedList;
import io.headgate.sdk.cli.command.shared.Prompt;
import io.headgate.sdk.cli.command.shared.RequestFieldFlags;
import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ErrorFrames;
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
import io.headgate.sdk.config.EnglishText;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.IssuedKey;
import io.headgate.sdk.wire.ResourceNames;
import io.headgate.sdk.wire.RightsMessages;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `headgate keys`.
@Command(
    header = {
      "headgate keys                                     all keys, without their secrets",
      "headgate keys create ada > ada.key                a key for a user; it is printed only once",
      "headgate keys create nightly --service-account --expires 90d",
      "headgate keys revoke 5d41402abc4b2a76             the key is refused from now on",
      "headgate keys revoke --owner ada                  all keys of a user",
      ""
    },
    description = "Lists, creates and revokes the keys of a tenant. For its admins.")
public final class KeysCommand implements CliCommand {
  private static final RequestFieldFlags FLAGS =
      new RequestFieldFlags(
          Map.of("owner", "OWNER", "description", "--description", "time_to_live", "--expires"));
  private static final String ENDED = "access that was granted with it ends within 5 seconds";
  private static final String NODE = "node";
  private static final Pattern OWNER = Pattern.compile("[a-z]([a-z0-9-]{0,61}[a-z0-9])?");

  @Mixin private final GlobalOptions global = new GlobalOptions();
  @Mixin private final ListFlags list = new ListFlags();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "list|create|revoke",
      description = "Action (default: list).")
  private String action = "list";

  @Parameters(
      index = "1..*",
      paramLabel = "OWNER|KEY",
      description = "Owner of the key to create, or keys to revoke.")
  private List<String> names = List.of();

  @Option(names = "--service-account", description = "The owner is a service account.")
  private boolean serviceAccount;

  @Option(
      names = "--owner",
      paramLabel = "OWNER",
      description = "Revoke all keys of this user; with --service-account, of a service account.")
  private @Nullable String owner;

  @Option(names = "--description", paramLabel = "TEXT", description = "Purpose of the key.")
  private String description = "";

  @Option(
      names = "--expires",
      paramLabel = "TIME",
      description = "Lifetime of the key, such as 90d (default: until it is revoked).")
  private @Nullable String expires;

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws InterruptedException {
    return switch (action) {
      case "list" -> list(invocation);
      case "create" -> create(invocation);
      case "revoke" -> revoke(invocation);
      default ->
          throw new UsageException(
              "\"" + action + "\" is not an action of headgate keys",
              "UNKNOWN_ARGUMENT",
              "headgate keys list, create OWNER or revoke KEY");
    };
  }

  private int list(Invocation invocation) throws InterruptedException {
    return new NamedList<>(
            "key", listing(invocation.output().times()), () -> rows(invocation.session()))
        .run(invocation, list, names.isEmpty() ? null : id(names.getFirst()));
  }

  private int create(Invocation invocation) {
    if (names.size() != 1) {
      throw new UsageException(
          "the owner of the key is missing",
          "ARGUMENT_MISSING",
          "name one owner: headgate keys create USER");
    }
    String name = names.getFirst();
    if (!OWNER.matcher(name).matches()) {
      throw new UsageException(
          "\"%s\" is not the id of a %s"
              .formatted(name, serviceAccount ? "service account" : "user"),
          "BAD_ARGUMENT",
          "1 to 63 lower-case letters, digits and hyphens, starting with a letter");
    }
    Duration life = expires == null ? null : Invocation.duration("--expires", expires);
    CreateKeyResponse made = make(invocation, name, life);
    switch (invocation.form().kind()) {
      case JSON, JSONL, YAML ->
          listing(invocation.output().times())
              .printOne(
                  Row.of(RightsMessages.key(made.getKey()), "key", "keys", made),
                  invocation.form(),
                  invocation.output());
      // Prints only the secret, so that the output can go straight into a file.
      case TABLE, WIDE, CSV, NAME, COLUMNS -> invocation.output().line(made.getSecret());
    }
    String id = ResourceNames.id(made.getKey().getName());
    String until = life == null ? "until it is revoked" : "for " + TimeText.span(life);
    invocation
        .output()
        .note("key %s of %s, valid %s. It is not shown again.".formatted(id, name, until));
    invocation
        .output()
        .note("sign in with it: headgate login --server " + invocation.session().server());
    return ExitCode.DONE;
  }

  private CreateKeyResponse make(Invocation invocation, String name, @Nullable Duration life) {
    Session session = invocation.session();
    String collection = serviceAccount ? "serviceAccounts" : "users";
    try {
      return session
          .identity()
          .createKey(ResourceNames.of(session.tenant(), collection, name), description, life);
    } catch (HeadgateException e) {
      ErrorFrame frame = FLAGS.in(ErrorFrames.of(e, session.server()), e);
      if (e.reason().equals("USER_NOT_FOUND") || e.reason().equals("SERVICE_ACCOUNT_NOT_FOUND")) {
        frame =
            frame.next(
                List.of(
                    serviceAccount
                        ? "add it to serviceAccounts of a group in the file first:"
                            + " headgate export, headgate apply"
                        : "add it to users of a group in the file first: headgate export, headgate"
                            + " apply; for a service account: --service-account"));
      }
      throw new CliFailure(List.of(frame), ExitCode.of(e), null);
    }
  }

  private int revoke(Invocation invocation) {
    if (owner != null) {
      return revokeAll(invocation, owner);
    }
    if (names.isEmpty()) {
      throw new UsageException(
          "the key is missing",
          "ARGUMENT_MISSING",
          "headgate keys revoke KEY; all keys: headgate keys");
    }
    for (String name : names) {
      invocation.session().identity().revokeKey("keys/" + id(name));
      invocation.output().line("revoked " + id(name));
    }
    invocation.output().note(ENDED);
    return ExitCode.DONE;
  }

  private int revokeAll(Invocation invocation, String ownerId) {
    if (!names.isEmpty()) {
      throw new UsageException(
          "keys and --owner are named together",
          "CONTRADICTION",
          "headgate keys revoke KEY, or headgate keys revoke --owner OWNER");
    }
    Session session = invocation.session();
    String collection = serviceAccount ? "serviceAccounts" : "users";
    String full = ResourceNames.of(session.tenant(), collection, ownerId);
    List<String> keys =
        session.identity().listKeys(session.tenant()).stream()
            .filter(key -> key.getOwner().equals(full))
            .map(Key::getName)
            .toList();
    if (keys.isEmpty()) {
      requireOwner(session, full);
      invocation.output().note(ownerId + " has no key");
      return ExitCode.DONE;
    }
    String what = EnglishText.count(keys.size(), "key") + " of " + ownerId;
    if (!new Prompt(invocation)
        .confirms("Revoke " + what + "?", "the revocation of " + what, "revoke")) {
      invocation.output().note("nothing was revoked");
      return ExitCode.REFUSED;
    }
    for (String key : keys) {
      session.identity().revokeKey(key);
      invocation.output().line("revoked " + ResourceNames.id(key));
    }
    invocation.output().note(ENDED);
    return ExitCode.DONE;
  }

  /// A mistyped owner must not look like one whose keys are gone.
  private void requireOwner(Session session, String owner) {
    List<String> people = session.identity().people(session.tenant());
    if (!people.contains(owner)) {
      throw NameCheck.notFound(
          serviceAccount ? "service account" : "user",
          ResourceNames.id(owner),
          people.stream().map(ResourceNames::id).toList(),
          "owners of keys: headgate keys",
          session.tenant());
    }
  }

  private static String id(String name) {
    return KeyId.of(name, "key", "keys");
  }

  private static List<Row<IssuedKey>> rows(Session session) {
    return session.identity().listKeys(session.tenant()).stream()
        .map(key -> Row.of(RightsMessages.key(key), "key", "keys", key))
        .toList();
  }

  private static Listing<IssuedKey> listing(TimeText times) {
    return new Listing<>(
        "keys",
        List.of("keys"),
        key -> ResourceNames.id(key.name()),
        List.of(
            Column.of("KEY", key -> Cell.of(ResourceNames.id(key.name()))),
            Column.<IssuedKey>of("OWNER", key -> Cell.of(shownOwner(key)))
                .plainly(key -> ResourceNames.id(key.owner())),
            Column.<IssuedKey>of("KIND", key -> Cell.of(kind(key))).leaving(2),
            Column.<IssuedKey>of("MADE", key -> Cell.of(times.ago(key.createTime())))
                .leaving(1)
                .plainly(key -> TimeText.machine(key.createTime())),
            Column.<IssuedKey>of("LAST USED", key -> Cell.of(lastUse(key, times)))
                .leaving(3)
                .plainly(key -> TimeText.machine(key.lastUseTime())),
            Column.<IssuedKey>of("EXPIRES", key -> Cell.of(times.exact(key.expireTime())))
                .plainly(key -> TimeText.machine(key.expireTime())),
            Column.<IssuedKey>of("DESCRIPTION", key -> Cell.of(key.description())).givingWay()));
  }

  /// A key whose owner is in no group signs in and gives no rights: it was probably forgotten. The
  /// key of a node from before machines had key pairs works from anywhere.
  private static String shownOwner(IssuedKey key) {
    String owner = ResourceNames.id(key.owner());
    if (kind(key).equals(NODE) && key.machineKey() == null) {
      return owner + " (unbound)";
    }
    return owner + (key.ownerWithoutGroup() ? " (no group)" : "");
  }

  /// The server records the last use to the hour.
  private static String lastUse(IssuedKey key, TimeText times) {
    Instant use = key.lastUseTime();
    boolean now = use != null && use.isAfter(times.clock().instant().minus(Duration.ofHours(1)));
    return now ? "<1h" : times.ago(use);
  }

  private static String kind(IssuedKey key) {
    return switch (key.owner().replaceAll("^tenants/[^/]*/|/[^/]*$", "")) {
      case "users" -> "user";
      case "serviceAccounts" -> "service account";
      case "nodes" -> NODE;
      default -> "";
    };
  }
}

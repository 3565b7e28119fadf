package io.headgate.policy.runtime;

import io.headgate.policy.core.Denial;
import io.headgate.policy.core.Nearest;
import io.headgate.policy.core.Outcome;
import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.KeyKind;
import io.headgate.policy.core.key.KeySecret;
import io.headgate.policy.core.key.StoredJoinToken;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.policy.core.key.StoredKey.Lifetime;
import io.headgate.policy.core.key.TimeToLive;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.NodeId;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.JoinTokenTable;
import io.headgate.policy.runtime.port.KeyTable;
import io.headgate.policy.runtime.port.SupplyReader;
import io.headgate.policy.runtime.port.Tables;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// Lets machines join: an admin makes a join token for a pool, a machine turns it into its own key.
/// Tenant and pool are the token's, never the machine's to say. Thread-safe.
public final class Enrolment {
  private static final int MAX_USES = 10_000;

  private final Changes changes;
  private final Secrets secrets;
  private final SupplyReader supplies;
  private final FailedAttempts attempts;

  public Enrolment(
      Changes changes, Secrets secrets, SupplyReader supplies, FailedAttempts attempts) {
    this.changes = changes;
    this.secrets = secrets;
    this.supplies = supplies;
    this.attempts = attempts;
  }

  /// What is asked for.
  ///
  /// @param uses 0: one
  /// @param timeToLive absent: {@link TimeToLive#JOIN_TOKEN_DEFAULT}
  public record NewToken(TenantId tenant, PoolId pool, int uses, Optional<Duration> timeToLive) {}

  /// A join token and its secret, which is nowhere else.
  public record MadeToken(StoredJoinToken token, KeySecret secret) {}

  /// A machine's new identity and its secret, which is nowhere else.
  public record Enrolled(TenantId tenant, NodeId node, PoolId pool, KeySecret secret) {}

  public MadeToken createToken(Origin origin, NewToken wanted) {
    int uses = wanted.uses() == 0 ? 1 : wanted.uses();
    if (uses < 1 || uses > MAX_USES) {
      throw new DeniedException(
          new Denial.OutOfRange(
              "uses", Integer.toString(wanted.uses()), "1", Integer.toString(MAX_USES)));
    }
    Duration timeToLive =
        wanted
            .timeToLive()
            .map(asked -> DeniedException.require(TimeToLive.ofJoinToken(asked)))
            .orElse(TimeToLive.JOIN_TOKEN_DEFAULT);
    changes.read(tables -> Changes.find(tables, wanted.tenant()));
    DeniedException.require(known(origin, wanted));
    KeySecret secret = secrets.generate(KeyKind.JOIN);
    return changes.change(tables -> {
      Changes.lock(tables, wanted.tenant());
      Instant now = changes.now();
      StoredJoinToken token =
          new StoredJoinToken(
              secret.id(), wanted.tenant(), wanted.pool(), uses, now, now.plus(timeToLive));
      tables.joinTokens().forget(now);
      tables
          .joinTokens()
          .insert(
              new JoinTokenTable.Entry(token, Secrets.hash(secret)), origin.required().subject());
      changes.record(
          tables,
          origin,
          Optional.of(wanted.tenant()),
          "CreateJoinToken",
          name(secret.id()),
          AuditEntry.changes(
              Map.of(), Map.of("pool", wanted.pool().value(), "uses", Integer.toString(uses))));
      return new MadeToken(token, secret);
    });
  }

  /// Turns a join token into the key of the machine that is to be called `node`.
  public Enrolled enroll(Origin origin, String joinToken, NodeId node) {
    Optional<KeySecret> join =
        KeySecret.parse(joinToken).filter(secret -> secret.kind() == KeyKind.JOIN);
    FailedAttempts.Source source =
        new FailedAttempts.Source(origin.address(), join.map(KeySecret::id));
    attempts.require(source);
    if (join.isEmpty()) {
      attempts.failed(source);
      throw new DeniedException(new Denial.JoinTokenRejected());
    }
    return changes.change(tables -> {
      StoredJoinToken token =
          good(tables, join.get())
              .orElseThrow(() -> {
                attempts.failed(source);
                return new DeniedException(new Denial.JoinTokenRejected());
              });
      return enroll(tables, origin, token, node);
    });
  }

  /// The token of this secret if it can be used, held until the end of the transaction. Its tenant
  /// is held as well, and first, as every change does: a tenant that is just being removed takes no
  /// new machine.
  private Optional<StoredJoinToken> good(Tables tables, KeySecret join) {
    return tables
        .joinTokens()
        .find(join.id())
        .filter(entry -> Secrets.matches(join, entry.hash()))
        .flatMap(entry -> tables.tenants().lock(entry.token().tenant()))
        .flatMap(_ -> tables.joinTokens().lock(join.id()))
        .map(JoinTokenTable.Entry::token)
        .filter(token -> token.isGood(changes.now()));
  }

  private Enrolled enroll(Tables tables, Origin origin, StoredJoinToken token, NodeId node) {
    KeySecret secret = secrets.generate(KeyKind.NODE);
    StoredKey key =
        new StoredKey(
            secret.id(),
            new KeyOwner.OfNode(token.tenant(), node),
            Optional.of(token.pool()),
            "joined with " + name(token.id()),
            new Lifetime(changes.now(), Optional.empty(), Optional.empty()),
            Optional.empty());
    if (!tables.keys().insert(new KeyTable.Entry(key, Secrets.hash(secret)), name(token.id()))) {
      String taken = tables.keys().liveOfNode(token.tenant(), node).map(KeyId::value).orElse("");
      throw new DeniedException(new Denial.NodeTaken("node_id", node.value(), taken));
    }
    tables.joinTokens().use(token.id());
    changes.record(
        tables,
        origin,
        Optional.of(token.tenant()),
        "EnrollNode",
        key.owner().name(),
        AuditEntry.changes(
            Map.of(),
            Map.of(
                "join_token", name(token.id()),
                "key", "keys/" + key.id(),
                "pool", token.pool().value())));
    return new Enrolled(token.tenant(), node, token.pool(), secret);
  }

  private Outcome<PoolId> known(Origin origin, NewToken wanted) {
    Supply supply = supplies.read(origin, wanted.tenant(), SupplyReader.View.PROVISIONED);
    if (supply.pools().contains(wanted.pool())) {
      return Outcome.accepted(wanted.pool());
    }
    var pools = supply.pools().stream().map(PoolId::value).sorted().toList();
    String id = wanted.pool().value();
    return Outcome.denied(new Denial.Unknown("pool", Kind.POOL, id, Nearest.to(id, pools)));
  }

  private static String name(KeyId token) {
    return "joinTokens/" + token;
  }
}

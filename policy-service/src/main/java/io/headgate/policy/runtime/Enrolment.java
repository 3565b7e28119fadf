package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.decision.NearestWord;
import io.headgate.kit.decision.Outcome;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.KeyKind;
import io.headgate.policy.core.key.KeySecret;
import io.headgate.policy.core.key.MachineKey;
import io.headgate.policy.core.key.MachineProof;
import io.headgate.policy.core.key.SecretHash;
import io.headgate.policy.core.key.StoredJoinToken;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.policy.core.key.StoredKey.Lifetime;
import io.headgate.policy.core.key.TimeToLive;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.NodeId;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.AuditEntry;
import io.headgate.policy.runtime.port.JoinTokenTable;
import io.headgate.policy.runtime.port.KeyTable;
import io.headgate.policy.runtime.port.KeyTable.Position;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.SupplyReader;
import io.headgate.policy.runtime.port.Tables;
import io.headgate.type.ProofBytes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Lets machines join: an admin creates a join token for a pool, and a machine exchanges it for its
/// own key. Tenant and pool come from the token, never from the machine. Thread-safe.
public final class Enrolment {
  private static final int MAX_USES = 10_000;

  /// Time after a join token's end in which it still opens the keys made with it.
  private static final Duration KEPT = Duration.ofHours(24);

  private final Changes changes;
  private final Secrets secrets;
  private final SupplyOnDemand onDemand;
  private final FailedAttempts attempts;

  public Enrolment(
      Changes changes,
      Secrets secrets,
      SupplyReader supplies,
      ChangeSettlement settlement,
      FailedAttempts attempts) {
    this.changes = changes;
    this.secrets = secrets;
    this.onDemand = new SupplyOnDemand(changes, supplies, settlement);
    this.attempts = attempts;
  }

  /// A request for a join token.
  ///
  /// @param uses 0 means 1
  /// @param timeToLive absent: {@link TimeToLive#JOIN_TOKEN_DEFAULT}
  public record NewToken(TenantId tenant, PoolId pool, int uses, Optional<Duration> timeToLive) {}

  /// A join token and the only copy of its secret.
  public record MadeToken(StoredJoinToken token, KeySecret secret) {}

  /// A machine's new identity and the only copy of its secret.
  ///
  /// @param machine to which the secret is bound
  public record Enrolled(
      TenantId tenant, NodeId node, PoolId pool, KeySecret secret, MachineKey machine) {}

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
      changes.begin(tables, origin, wanted.tenant());
      Instant now = changes.now();
      StoredJoinToken token =
          new StoredJoinToken(
              secret.id(), wanted.tenant(), wanted.pool(), uses, uses, now, now.plus(timeToLive));
      tables.joinTokens().forget(now.minus(KEPT));
      if (tables.joinTokens().countLive(wanted.tenant(), now) >= StoredJoinToken.MAX_PER_TENANT) {
        throw new DeniedException(
            new Denial.TooMany("parent", Kind.JOIN_TOKEN, StoredJoinToken.MAX_PER_TENANT));
      }
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

  /// The tenant's live tokens after `after`, newest first.
  public List<StoredJoinToken> tokens(TenantId tenant, Optional<Position> after, int limit) {
    return changes.read(tables -> {
      Changes.find(tables, tenant);
      return tables.joinTokens().listLive(tenant, changes.now(), after, limit);
    });
  }

  /// Ends the token now; joined machines stay. Ending an ended token has no effect.
  public void revoke(Origin origin, TenantId tenant, KeyId id) {
    changes.change(tables -> {
      changes.begin(tables, origin, tenant);
      StoredJoinToken token =
          tables
              .joinTokens()
              .lock(id)
              .map(JoinTokenTable.Entry::token)
              .filter(found -> found.tenant().equals(tenant))
              .orElseThrow(
                  () -> new DeniedException(new Denial.NotFound(Kind.JOIN_TOKEN, id.value())));
      Instant now = changes.now();
      if (now.isBefore(token.expiresAt())) {
        tables.joinTokens().end(id, now);
        changes.record(
            tables,
            origin,
            Optional.of(tenant),
            "RevokeJoinToken",
            name(id),
            AuditEntry.changes(
                Map.of("expires", token.expiresAt().toString()),
                Map.of("expires", now.toString())));
      }
      return token;
    });
  }

  /// A machine that wants to join.
  ///
  /// @param request identifies an attempt across its repetitions; absent: each call is a new
  ///   attempt
  /// @param proof that it has the private key of its machine
  public record Applicant(
      String joinToken, NodeId node, Optional<String> request, MachineProof proof) {
    MachineKey machine() {
      return proof.key();
    }
  }

  /// Exchanges a join token for the key of the named machine; repetitions of one request get one
  /// key.
  public Enrolled enroll(Origin origin, Applicant applicant) {
    Optional<KeySecret> join =
        KeySecret.parse(applicant.joinToken()).filter(secret -> secret.kind() == KeyKind.JOIN);
    return join.flatMap(secret -> enroll(origin, applicant, secret))
        .orElseThrow(() -> new DeniedException(new Denial.JoinTokenRejected()));
  }

  private Optional<Enrolled> enroll(Origin origin, Applicant applicant, KeySecret join) {
    // A used-up token still opens the keys that were made with it, so the request counts as well.
    SecretHash hash =
        Secrets.hash(join.text() + " " + applicant.node() + " " + applicant.request().orElse(""));
    FailedAttempts.Attempt attempt = new FailedAttempts.Attempt(origin.address(), join.id(), hash);
    return attempts.decide(
        attempt,
        () -> {
          if (!changes.acrossTenants().read(tables -> isOpen(tables, join, applicant))) {
            return Optional.empty();
          }
          requireProof(attempt, join, applicant);
          return changes
              .acrossTenants()
              .change(tables ->
                  locked(tables, join)
                      .flatMap(token -> enroll(tables, origin, new Entry(join, token), applicant)));
        });
  }

  /// Whether the token may give the applicant a key: it is good, or it gave this request its key.
  /// So a stranger, and the finder of a token that has ended, cost no verification and learn
  /// nothing.
  private boolean isOpen(Tables tables, KeySecret join, Applicant applicant) {
    Instant now = changes.now();
    Optional<StoredJoinToken> known = known(tables, join);
    return known.isPresent()
        && (known.get().isGood(now)
            || applicant
                .request()
                .map(request -> secrets.derive(join, request, applicant.node()).id())
                .flatMap(tables.keys()::find)
                .filter(entry -> entry.key().lifetime().isLive(now))
                .isPresent());
  }

  /// The secret that a machine showed, and the stored token.
  private record Entry(KeySecret join, StoredJoinToken token) {}

  /// The token of this secret, locked until the end of the transaction. The tenant is locked first,
  /// as in every change, so that a tenant under removal takes no new machine.
  private static Optional<StoredJoinToken> locked(Tables tables, KeySecret join) {
    return known(tables, join)
        .flatMap(token -> tables.tenants().lock(token.tenant()))
        .flatMap(_ -> tables.joinTokens().lock(join.id()))
        .map(JoinTokenTable.Entry::token);
  }

  private static Optional<StoredJoinToken> known(Tables tables, KeySecret join) {
    return tables
        .joinTokens()
        .find(join.id())
        .filter(entry -> Secrets.matches(join, entry.hash()))
        .map(JoinTokenTable.Entry::token);
  }

  /// Outside of a transaction. A wrong signature counts, as a wrong token does; the request itself
  /// stays good, because its machine may send it, too.
  private void requireProof(FailedAttempts.Attempt attempt, KeySecret join, Applicant applicant) {
    byte[] content =
        ProofBytes.ofEnrolment(
            join.text(),
            applicant.node().value(),
            applicant.request().orElse(""),
            applicant.machine().encoded());
    if (!ProofVerifier.isProven(applicant.proof(), content)) {
      attempts.countFailure(attempt);
      throw new DeniedException(
          new Denial.MachineKeyInvalid(
              "signature", "it is not the signature of this request by public_key's private key"));
    }
  }

  /// The enrolment; empty if the token is invalid and no valid key was made with it.
  private Optional<Enrolled> enroll(
      Tables tables, Origin origin, Entry entry, Applicant applicant) {
    StoredJoinToken token = entry.token();
    NodeId node = applicant.node();
    Instant now = changes.now();
    KeySecret secret =
        applicant
            .request()
            .map(request -> secrets.derive(entry.join(), request, node))
            .orElseGet(() -> secrets.generate(KeyKind.NODE));
    Enrolled enrolled =
        new Enrolled(token.tenant(), node, token.pool(), secret, applicant.machine());
    Optional<StoredKey> before = tables.keys().find(secret.id()).map(KeyTable.Entry::key);
    if (before.isPresent()) {
      // A key from before machines had key pairs is bound by its first exchange.
      boolean isOfMachine = before.get().machineKey().map(applicant.machine()::equals).orElse(true);
      if (!isOfMachine || !before.get().owner().equals(new KeyOwner.OfNode(token.tenant(), node))) {
        throw new DeniedException(new Denial.RequestIdReused("request_id"));
      }
      return before.filter(key -> key.lifetime().isLive(now)).map(_ -> enrolled);
    }
    if (!token.isGood(now)) {
      return Optional.empty();
    }
    make(tables, origin, token, enrolled);
    return Optional.of(enrolled);
  }

  private void make(Tables tables, Origin origin, StoredJoinToken token, Enrolled enrolled) {
    KeySecret secret = enrolled.secret();
    NodeId node = enrolled.node();
    StoredKey key =
        new StoredKey(
            secret.id(),
            new KeyOwner.OfNode(token.tenant(), node),
            Optional.of(token.pool()),
            Optional.of(enrolled.machine()),
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
                "machine_key", enrolled.machine().hex(),
                "pool", token.pool().value())));
  }

  private Outcome<PoolId, Denial> known(Origin origin, NewToken wanted) {
    // The pool may come with a change of which pool-service has not heard yet.
    Supply supply = onDemand.settledSupply(origin, wanted.tenant());
    if (supply.pools().contains(wanted.pool())) {
      return Outcome.accepted(wanted.pool());
    }
    var pools = supply.pools().stream().map(PoolId::value).sorted().toList();
    String id = wanted.pool().value();
    return Outcome.denied(new Denial.Unknown("pool", Kind.POOL, id, NearestWord.of(id, pools)));
  }

  private static String name(KeyId token) {
    return "joinTokens/" + token;
  }
}

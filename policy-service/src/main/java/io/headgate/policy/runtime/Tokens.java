package io.headgate.policy.runtime;

import io.headgate.kit.auth.TokenSigner;
import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.access.Policy;
import io.headgate.policy.core.access.Queue;
import io.headgate.policy.core.identity.Identity;
import io.headgate.policy.core.identity.Identity.Machine;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.identity.PrincipalRole;
import io.headgate.policy.core.identity.User;
import io.headgate.policy.core.key.KeyKind;
import io.headgate.policy.core.key.KeySecret;
import io.headgate.policy.core.key.SecretHash;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.QueueId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.KeyTable;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.Tables;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/// Exchanges keys for tokens, and reports the identity of a token's bearer. Thread-safe.
public final class Tokens {
  private static final String EXCHANGE = "ExchangeKey";
  private static final String REJECTED = "KEY_REJECTED";

  // An unknown key is compared with this hash, so that its refusal takes as long as that of a known
  // key.
  private static final SecretHash NOBODY = new SecretHash("0".repeat(64));

  private final Changes changes;
  private final SigningKeys signing;
  private final Guard guard;
  private final Duration lifetime;

  /// The protections of the exchange.
  public record Guard(FailedAttempts attempts, RefusedCalls refused, PolicyMetrics metrics) {}

  /// Issues tokens that live for `lifetime`.
  public Tokens(Changes changes, SigningKeys signing, Guard guard, Duration lifetime) {
    this.changes = changes;
    this.signing = signing;
    this.guard = guard;
    this.lifetime = lifetime;
  }

  private record Bearer(StoredKey key, Identity identity) {}

  /// The caller's own identity, and the queues that it may use.
  public record Self(Identity identity, List<QueueId> queues) {}

  /// A token for the owner of the key, with the owner's present identity.
  public TokenSigner.Signed exchange(Origin origin, String key) {
    Optional<KeySecret> secret =
        KeySecret.parse(key).filter(parsed -> parsed.kind() != KeyKind.JOIN);
    FailedAttempts.Source source =
        new FailedAttempts.Source(origin.address(), secret.map(KeySecret::id));
    guard.attempts().require(source);
    Instant now = changes.now();
    Optional<Bearer> bearer =
        secret.flatMap(given -> changes.read(tables -> bearer(tables, given, now)));
    if (bearer.isEmpty()) {
      guard.attempts().failed(source);
      refused(origin, secret);
      throw new DeniedException(new Denial.KeyRejected());
    }
    markUsed(bearer.get().key(), now);
    guard.metrics().tokenIssued(bearer.get().identity().role().name());
    return signing.sign(TokenContents.of(bearer.get().identity()), lifetime);
  }

  /// The caller's present identity, which may have more or fewer rights than its token.
  public Self self(Origin origin) {
    KeyOwner owner =
        KeyOwner.parse(origin.required().subject())
            .orElseThrow(() -> new DeniedException(new Denial.KeyRejected()));
    return changes.read(tables -> {
      Identity identity =
          identity(tables, owner, Optional.empty())
              .orElseThrow(() -> new DeniedException(new Denial.KeyRejected()));
      return new Self(identity, queues(tables, identity));
    });
  }

  private static Optional<Bearer> bearer(Tables tables, KeySecret secret, Instant now) {
    Optional<KeyTable.Entry> entry = tables.keys().find(secret.id());
    boolean matches = Secrets.matches(secret, entry.map(KeyTable.Entry::hash).orElse(NOBODY));
    if (entry.isEmpty() || !matches || !entry.get().key().lifetime().isLive(now)) {
      return Optional.empty();
    }
    StoredKey key = entry.get().key();
    return identity(tables, key.owner(), Optional.of(key))
        .map(identity -> new Bearer(key, identity));
  }

  /// The present identity of `owner`; empty if it is gone.
  private static Optional<Identity> identity(
      Tables tables, KeyOwner owner, Optional<StoredKey> key) {
    return switch (owner) {
      case KeyOwner.OfUser(var tenant, var id) ->
          tables
              .users()
              .find(tenant, id)
              .map(User::role)
              .map(role -> member(owner, tenant, role, tables.users().groups(tenant, id)));
      case KeyOwner.OfServiceAccount(var tenant, var id) ->
          tables
              .serviceAccounts()
              .find(tenant, id)
              .map(_ ->
                  member(
                      owner,
                      tenant,
                      PrincipalRole.SERVICE_ACCOUNT,
                      tables.serviceAccounts().groups(tenant, id)));
      case KeyOwner.OfNode(var tenant, var node) ->
          key.flatMap(StoredKey::pool)
              .map(pool ->
                  new Identity(
                      owner.name(),
                      PrincipalRole.NODE,
                      Optional.of(tenant),
                      Optional.of(new Machine(node, pool)),
                      List.of()));
      case KeyOwner.OfService(_) -> Optional.of(global(owner, PrincipalRole.SERVICE));
      case KeyOwner.OfOperator(_) -> Optional.of(global(owner, PrincipalRole.PLATFORM_OPERATOR));
    };
  }

  private static Identity member(
      KeyOwner owner, TenantId tenant, PrincipalRole role, List<GroupId> groups) {
    return new Identity(owner.name(), role, Optional.of(tenant), Optional.empty(), groups);
  }

  private static Identity global(KeyOwner owner, PrincipalRole role) {
    return new Identity(owner.name(), role, Optional.empty(), Optional.empty(), List.of());
  }

  /// The queues where the identity may submit, by the scheduler's rule A1.
  private static List<QueueId> queues(Tables tables, Identity identity) {
    if (identity.tenant().isEmpty()) {
      return List.of();
    }
    AccessConfiguration access = tables.access().get(identity.tenant().get()).configuration();
    return access.queues().stream()
        .filter(queue ->
            access
                .policy(queue.policy())
                .map(Policy::group)
                .filter(identity.groups()::contains)
                .isPresent())
        .map(Queue::id)
        .toList();
  }

  private void markUsed(StoredKey key, Instant now) {
    Instant hour = now.truncatedTo(ChronoUnit.HOURS);
    if (key.lastUsedAt().filter(hour::equals).isEmpty()) {
      changes.change(tables -> {
        tables.keys().markUsed(key.id(), hour);
        return hour;
      });
    }
  }

  /// A known key that is no longer valid is recorded; an invented one is only noise.
  private void refused(Origin origin, Optional<KeySecret> secret) {
    Optional<StoredKey> known =
        secret
            .flatMap(given -> changes.read(tables -> tables.keys().find(given.id())))
            .map(KeyTable.Entry::key);
    if (known.isEmpty()) {
      guard.metrics().denied(EXCHANGE, REJECTED);
      return;
    }
    StoredKey key = known.get();
    guard.refused().record(origin, key.owner().tenant(), EXCHANGE, "keys/" + key.id(), REJECTED);
  }
}

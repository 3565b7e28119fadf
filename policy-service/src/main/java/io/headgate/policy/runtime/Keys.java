package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.identity.Caller;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.identity.KeyRights;
import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.KeyKind;
import io.headgate.policy.core.key.KeySecret;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.policy.core.key.StoredKey.Lifetime;
import io.headgate.policy.core.key.TimeToLive;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.runtime.port.AuditEntry;
import io.headgate.policy.runtime.port.KeyTable;
import io.headgate.policy.runtime.port.KeyTable.Position;
import io.headgate.policy.runtime.port.KeyTable.Scope;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.Tables;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Makes, lists and revokes keys. Thread-safe.
public final class Keys {
  private static final KeyOwner ROOT = new KeyOwner.OfOperator("root");

  private final Changes changes;
  private final Secrets secrets;

  public Keys(Changes changes, Secrets secrets) {
    this.changes = changes;
    this.secrets = secrets;
  }

  /// A key and its secret, which is nowhere else.
  public record Made(StoredKey key, KeySecret secret) {}

  /// Where the first operator's key goes.
  @FunctionalInterface
  public interface Recipient {
    /// Must have kept the secret when it returns. If it throws, no key is made.
    void receive(KeySecret adminKey);
  }

  /// A key to be made.
  ///
  /// @param timeToLive absent: until revoked
  public record NewKey(KeyOwner owner, String description, Optional<Duration> timeToLive) {}

  public Made create(Origin origin, NewKey wanted) {
    Caller caller = origin.required();
    KeyRights.toCreate(caller, wanted.owner())
        .ifPresent(denial -> {
          throw new DeniedException(denial);
        });
    Optional<Duration> timeToLive =
        wanted.timeToLive().map(asked -> DeniedException.require(TimeToLive.ofKey(asked)));
    return changes.change(tables -> {
      requireOwner(tables, wanted.owner());
      requireRoom(tables, wanted.owner());
      return make(tables, origin, wanted, timeToLive);
    });
  }

  /// Newest first, after `after`: those that the caller governs.
  ///
  /// @param wanted without a tenant: the caller's own; for an operator, all
  public List<StoredKey> list(Origin origin, Scope wanted, Optional<Position> after, int limit) {
    Scope scope = new Scope(wanted.tenant().or(origin.required()::tenant), wanted.isRevokedShown());
    return changes.read(tables -> {
      scope.tenant().ifPresent(id -> Changes.find(tables, id));
      return tables.keys().list(scope, after, limit);
    });
  }

  /// Revokes the key; again, if it was revoked already, without effect.
  public void revoke(Origin origin, KeyId id) {
    Caller caller = origin.required();
    changes.change(tables -> {
      StoredKey key =
          tables
              .keys()
              .find(id)
              .map(KeyTable.Entry::key)
              .filter(found -> KeyRights.toGovern(caller, found.owner()))
              .orElseThrow(() -> new DeniedException(new Denial.NotFound(Kind.KEY, id.value())));
      if (key.lifetime().revokedAt().isPresent()) {
        return key;
      }
      Instant now = changes.now();
      if (key.owner() instanceof KeyOwner.OfOperator
          && key.lifetime().isLive(now)
          && tables.keys().countLiveOfOperators(now) == 1) {
        throw new DeniedException(new Denial.LastOperatorKey(id.value()));
      }
      tables.keys().revoke(id, now, caller.subject());
      record(tables, origin, "RevokeKey", key);
      return key;
    });
  }

  /// Makes the installation's first operator key and hands it over, unless there ever was one. The
  /// secret is handed over before the key is committed: a crash in between leaves a secret that
  /// opens nothing, and the next start makes another.
  ///
  /// @return whether a key was made
  public boolean ensureAdminKey(Recipient recipient) {
    return changes.change(tables -> {
      if (tables.keys().hasOperators()) {
        return false;
      }
      recipient.receive(makeAdminKey(tables).secret());
      return true;
    });
  }

  /// Replaces all keys of `operators/root` by a new one, for an operator who lost it.
  public void resetAdminKey(Recipient recipient) {
    changes.change(tables -> {
      tables.keys().revokeAll(ROOT, changes.now(), Origin.LOCAL.required().subject());
      Made made = makeAdminKey(tables);
      recipient.receive(made.secret());
      return made.key();
    });
  }

  private Made makeAdminKey(Tables tables) {
    NewKey wanted = new NewKey(ROOT, "admin key", Optional.empty());
    return make(tables, Origin.LOCAL, wanted, Optional.empty());
  }

  private Made make(Tables tables, Origin origin, NewKey wanted, Optional<Duration> timeToLive) {
    KeySecret secret = secrets.generate(KeyKind.of(wanted.owner()));
    Instant now = changes.now();
    StoredKey key =
        new StoredKey(
            secret.id(),
            wanted.owner(),
            Optional.empty(),
            wanted.description(),
            new Lifetime(now, timeToLive.map(now::plus), Optional.empty()),
            Optional.empty());
    if (!tables
        .keys()
        .insert(new KeyTable.Entry(key, Secrets.hash(secret)), origin.required().subject())) {
      throw new IllegalStateException("a random key id came twice: " + secret.id());
    }
    record(tables, origin, "CreateKey", key);
    return new Made(key, secret);
  }

  /// A key for somebody who does not exist would begin to work when somebody of that name comes.
  private static void requireOwner(Tables tables, KeyOwner owner) {
    switch (owner) {
      case KeyOwner.OfUser(var tenant, var user) -> {
        Changes.lock(tables, tenant);
        require(tables.users().find(tenant, user), Kind.USER, user.value());
      }
      case KeyOwner.OfServiceAccount(var tenant, var account) -> {
        Changes.lock(tables, tenant);
        require(
            tables.serviceAccounts().find(tenant, account), Kind.SERVICE_ACCOUNT, account.value());
      }
      case KeyOwner.OfNode(_, _), KeyOwner.OfService(_), KeyOwner.OfOperator(_) -> {
        // Nothing that would have to exist first.
      }
    }
  }

  private void requireRoom(Tables tables, KeyOwner owner) {
    if (tables.keys().countLive(owner, changes.now()) >= StoredKey.MAX_PER_OWNER) {
      throw new DeniedException(
          new Denial.TooManyKeys("owner", owner.name(), StoredKey.MAX_PER_OWNER));
    }
  }

  private static void require(Optional<?> found, Kind kind, String id) {
    if (found.isEmpty()) {
      throw new DeniedException(new Denial.Unknown("owner", kind, id, Optional.empty()));
    }
  }

  private void record(Tables tables, Origin origin, String action, StoredKey key) {
    changes.record(
        tables,
        origin,
        key.owner().tenant(),
        action,
        "keys/" + key.id(),
        AuditEntry.changes(Map.of(), Map.of("owner", key.owner().name())));
  }
}

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
import java.util.Set;

/// Creates, lists and revokes keys. Thread-safe.
public final class Keys {
  private static final KeyOwner ROOT = new KeyOwner.OfOperator("root");

  private final Changes changes;
  private final Secrets secrets;

  public Keys(Changes changes, Secrets secrets) {
    this.changes = changes;
    this.secrets = secrets;
  }

  /// A key and the only copy of its secret.
  public record Made(StoredKey key, KeySecret secret) {}

  /// A key in a list.
  ///
  /// @param isWithoutGroup whether its owner has rights only by groups, and is in none
  public record Listed(StoredKey key, boolean isWithoutGroup) {}

  /// Receives the first operator's key.
  @FunctionalInterface
  public interface Recipient {
    /// Stores the secret before it returns. If it throws, no key is created.
    void receive(KeySecret adminKey);
  }

  /// A request for a key.
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
      wanted
          .owner()
          .tenant()
          .ifPresentOrElse(
              tenant -> changes.begin(tables, origin, tenant),
              () -> changes.requireCaller(tables, origin));
      requireOwner(tables, wanted.owner());
      requireRoom(tables, wanted.owner());
      return make(tables, origin, wanted, timeToLive);
    });
  }

  /// The keys that the caller governs, after `after`, newest first.
  ///
  /// @param wanted without a tenant: the caller's own; for an operator, all
  public List<Listed> list(Origin origin, Scope wanted, Optional<Position> after, int limit) {
    Scope scope = new Scope(wanted.tenant().or(origin.required()::tenant), wanted.isRevokedShown());
    return changes.read(tables -> {
      scope.tenant().ifPresent(id -> Changes.find(tables, id));
      List<StoredKey> keys = tables.keys().list(scope, after, limit);
      Set<KeyId> withoutGroup =
          tables.keys().withoutGroup(keys.stream().map(StoredKey::id).toList());
      return keys.stream().map(key -> new Listed(key, withoutGroup.contains(key.id()))).toList();
    });
  }

  /// Revokes the key; revoking a revoked key has no effect.
  public void revoke(Origin origin, KeyId id) {
    Caller caller = origin.required();
    changes.change(tables -> {
      // All changes of a tenant's keys begin with its lock; the tenant itself may be gone.
      governed(tables, caller, id).owner().tenant().ifPresent(tables.tenants()::lock);
      changes.requireCaller(tables, origin);
      StoredKey key = governed(tables, caller, id);
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
      tables.revocations().add("keys/" + id, now);
      return key;
    });
  }

  private static StoredKey governed(Tables tables, Caller caller, KeyId id) {
    return tables
        .keys()
        .find(id)
        .map(KeyTable.Entry::key)
        .filter(found -> KeyRights.toGovern(caller, found.owner()))
        .orElseThrow(() -> new DeniedException(new Denial.NotFound(Kind.KEY, id.value())));
  }

  /// Creates the installation's first operator key and passes it on, unless there ever was an
  /// operator. The secret is passed on before the key is committed. A crash in between leaves a
  /// secret that opens nothing, and the next start creates another.
  ///
  /// @return whether a key was created
  public boolean ensureAdminKey(Recipient recipient) {
    return changes.change(tables -> {
      if (tables.keys().hasOperators()) {
        return false;
      }
      recipient.receive(makeAdminKey(tables).secret());
      return true;
    });
  }

  /// Replaces all keys of `operators/root` by a new key, for an operator who lost it.
  public void resetAdminKey(Recipient recipient) {
    changes.change(tables -> {
      tables.keys().revokeAll(ROOT, changes.now(), Origin.LOCAL.required().subject());
      Made made = makeAdminKey(tables);
      recipient.receive(made.secret());
      tables.revocations().add(ROOT.name(), changes.now());
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

  /// The owner must exist: otherwise a later principal of that name would own the key.
  private static void requireOwner(Tables tables, KeyOwner owner) {
    switch (owner) {
      case KeyOwner.OfUser(var tenant, var user) ->
          require(tables.users().find(tenant, user), Kind.USER, user.value());
      case KeyOwner.OfServiceAccount(var tenant, var account) ->
          require(
              tables.serviceAccounts().find(tenant, account),
              Kind.SERVICE_ACCOUNT,
              account.value());
      case KeyOwner.OfNode(_, _), KeyOwner.OfService(_), KeyOwner.OfOperator(_) -> {
        // Services and operators need no row.
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

package io.headgate.policy.runtime;

import io.headgate.kit.decision.DeniedException;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.identity.Caller;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.policy.runtime.port.KeyTable;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.Tables;
import java.time.Instant;
import java.util.Optional;

/// Looks up the caller of a write of identity or rights where they are stored. A token alone proves
/// only what its bearer was when the token was made: a revoked admin must not make itself a new key
/// with the minutes that are left of its token.
final class CallerCheck {
  private CallerCheck() {}

  /// Refuses a caller whose key, account or role is gone. Within a tenant, call it after the
  /// tenant's lock: all changes of its accounts and keys take that lock first, so the answer holds
  /// until the commit.
  static void require(Tables tables, Origin origin, Instant now) {
    Caller caller = origin.required();
    if (caller.equals(Caller.LOCAL)) {
      // The operator of this machine has the database itself, and no token.
      return;
    }
    if (!isStill(tables, origin, caller, now)) {
      throw new DeniedException(new Denial.CallerRevoked());
    }
  }

  private static boolean isStill(Tables tables, Origin origin, Caller caller, Instant now) {
    Optional<StoredKey> key =
        origin
            .key()
            .flatMap(id -> tables.keys().find(id))
            .map(KeyTable.Entry::key)
            .filter(found -> found.lifetime().isLive(now))
            .filter(found -> found.owner().name().equals(caller.subject()));
    return key.isPresent()
        && KeyOwner.parse(caller.subject())
            .flatMap(owner -> Identities.present(tables, owner, key))
            .filter(identity -> identity.role() == caller.role())
            .isPresent();
  }
}

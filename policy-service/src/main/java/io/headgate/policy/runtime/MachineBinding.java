package io.headgate.policy.runtime;

import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.key.KeySecret;
import io.headgate.policy.core.key.MachineKey;
import io.headgate.policy.core.key.MachineProof;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.policy.runtime.port.AuditEntry;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.Tables;
import io.headgate.type.ProofBytes;
import java.util.Map;
import java.util.Optional;

/// Binds the keys of nodes to the key pairs of their machines: the secret of a bound key alone
/// gives no token.
///
/// A proof is good once. Its counter must be above the last one in the key's row, and one statement
/// compares and stores it, so of two instances of the service one accepts a proof. The counter may
/// not run away either: a thief of the private key could leave the machine no higher one. Keys of
/// nodes that joined with an earlier version are bound to the machine that first shows a proof.
/// Thread-safe.
final class MachineBinding {
  private final Changes changes;

  /// @param changes across tenants: the caller of an exchange has no token yet
  MachineBinding(Changes changes) {
    this.changes = changes;
  }

  /// The secret and the proof that a caller shows to get a token.
  record Shown(KeySecret secret, Optional<MachineProof.Numbered> proof) {}

  /// The result of a check.
  sealed interface Verdict {
    /// The caller may use the key.
    record Good() implements Verdict {}

    /// The proof is missing, wrong, or another machine's.
    record Wrong() implements Verdict {}

    /// The proof was used before, or a newer one was.
    ///
    /// @param last counter of the last proof that was accepted
    record Outdated(long last) implements Verdict {}

    /// The proof's counter is too high.
    ///
    /// @param last counter of the last proof that was accepted
    record Ahead(long last) implements Verdict {}
  }

  /// Whether a caller with the secret of `key` is its machine. A good proof is used up.
  Verdict check(Origin origin, StoredKey key, Shown shown) {
    boolean isFree = key.machineKey().isEmpty() && shown.proof().isEmpty();
    if (!(key.owner() instanceof KeyOwner.OfNode) || isFree) {
      return new Verdict.Good();
    }
    return shown
        .proof()
        .filter(numbered -> isRight(key, shown.secret(), numbered))
        .map(numbered -> changes.change(tables -> use(tables, origin, key, numbered)))
        .orElseGet(Verdict.Wrong::new);
  }

  private static boolean isRight(StoredKey key, KeySecret secret, MachineProof.Numbered numbered) {
    MachineKey machine = numbered.proof().key();
    return key.machineKey().map(machine::equals).orElse(true)
        && ProofVerifier.isProven(
            numbered.proof(),
            ProofBytes.ofExchange(secret.text(), numbered.counter(), machine.encoded()));
  }

  private Verdict use(Tables tables, Origin origin, StoredKey key, MachineProof.Numbered numbered) {
    MachineKey machine = numbered.proof().key();
    if (key.machineKey().isEmpty() && tables.keys().bind(key.id(), machine)) {
      changes.record(
          tables,
          origin,
          key.owner().tenant(),
          "BindKey",
          "keys/" + key.id(),
          AuditEntry.changes(
              Map.of(), Map.of("owner", key.owner().name(), "machine_key", machine.hex())));
    }
    if (tables.keys().advance(key.id(), machine, numbered.counter(), changes.now())) {
      return new Verdict.Good();
    }
    // Since the key was read, it may have been revoked, or bound to another machine.
    return tables
        .keys()
        .lastProof(key.id(), machine)
        .<Verdict>map(last ->
            numbered.counter() > last ? new Verdict.Ahead(last) : new Verdict.Outdated(last))
        .orElseGet(Verdict.Wrong::new);
  }
}

package io.headgate.policy.runtime;

import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.TokenSigner;
import io.headgate.kit.auth.TokenStamp;
import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.position.WatchPosition;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessConfiguration;
import io.headgate.policy.core.access.Policy;
import io.headgate.policy.core.access.Queue;
import io.headgate.policy.core.identity.Identity;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.identity.PrincipalRole;
import io.headgate.policy.core.key.KeyKind;
import io.headgate.policy.core.key.KeySecret;
import io.headgate.policy.core.key.MachineProof;
import io.headgate.policy.core.key.SecretHash;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.policy.core.name.QueueId;
import io.headgate.policy.runtime.MachineBinding.Shown;
import io.headgate.policy.runtime.MachineBinding.Verdict;
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
  private static final String OUTDATED = "PROOF_OUTDATED";
  private static final String AHEAD = "PROOF_AHEAD";

  // An unknown key is compared with this hash, so that its refusal takes as long as that of a known
  // key.
  private static final SecretHash NOBODY = new SecretHash("0".repeat(64));

  private static final String OWN_SUBJECT = "services/policy";

  private final Changes changes;
  private final SigningKeys signing;
  private final Guard guard;
  private final Lifetimes lifetimes;
  private final MachineBinding binding;

  /// The protections of the exchange.
  public record Guard(FailedAttempts attempts, RefusedCalls refused, PolicyMetrics metrics) {}

  /// The lifetimes of tokens.
  ///
  /// @param ofPeople of users and operators, who leave and change their roles
  /// @param ofMachines of service accounts, nodes and services
  public record Lifetimes(Duration ofPeople, Duration ofMachines) {
    Duration of(PrincipalRole role) {
      return switch (role) {
        case PLATFORM_OPERATOR, TENANT_ADMIN, MEMBER -> ofPeople;
        case SERVICE_ACCOUNT, NODE, SERVICE -> ofMachines;
      };
    }
  }

  public Tokens(Changes changes, SigningKeys signing, Guard guard, Lifetimes lifetimes) {
    this.changes = changes;
    this.signing = signing;
    this.guard = guard;
    this.lifetimes = lifetimes;
    this.binding = new MachineBinding(changes.acrossTenants());
  }

  /// @param revocations position when the identity was looked up
  private record Bearer(StoredKey key, Identity identity, WatchPosition revocations) {}

  /// A token of this service itself, for its work without a caller.
  public TokenSigner.Signed own() {
    WatchPosition revocations = changes.read(tables -> tables.revocations().position());
    return signing.sign(
        new TokenStamp("", revocations).on(Principal.service(OWN_SUBJECT)), lifetimes.ofMachines());
  }

  /// The caller's own identity, and the queues that it may use.
  public record Self(Identity identity, List<QueueId> queues) {}

  /// A token for the owner of the key, with the owner's present identity.
  ///
  /// @param proof of the machine; needed for the key of a node that is bound to one
  public TokenSigner.Signed exchange(
      Origin origin, String key, Optional<MachineProof.Numbered> proof) {
    Optional<KeySecret> secret =
        KeySecret.parse(key).filter(parsed -> parsed.kind() != KeyKind.JOIN);
    Instant now = changes.now();
    Optional<Bearer> bearer = secret.flatMap(given -> bearer(origin, shown(given, proof), now));
    if (bearer.isEmpty()) {
      throw new DeniedException(new Denial.KeyRejected());
    }
    markUsed(bearer.get().key(), now);
    guard.metrics().tokenIssued(bearer.get().identity().role().name());
    return sign(bearer.get(), now);
  }

  /// No token outlives its key.
  private TokenSigner.Signed sign(Bearer bearer, Instant now) {
    StoredKey key = bearer.key();
    Duration usual = lifetimes.of(bearer.identity().role());
    Duration left = key.lifetime().expiresAt().map(end -> Duration.between(now, end)).orElse(usual);
    TokenStamp stamp = new TokenStamp(key.id().value(), bearer.revocations());
    return signing.sign(
        stamp.on(TokenContents.of(bearer.identity())), left.compareTo(usual) < 0 ? left : usual);
  }

  /// The caller's present identity, which may have more or fewer rights than its token.
  public Self self(Origin origin) {
    KeyOwner owner =
        KeyOwner.parse(origin.required().subject())
            .orElseThrow(() -> new DeniedException(new Denial.KeyRejected()));
    return changes.read(tables -> {
      Identity identity =
          Identities.present(tables, owner, Optional.empty())
              .orElseThrow(() -> new DeniedException(new Denial.KeyRejected()));
      return new Self(identity, queues(tables, identity));
    });
  }

  /// Only keys of nodes have proofs. With another key they would make its bearer look like many.
  private static Shown shown(KeySecret secret, Optional<MachineProof.Numbered> proof) {
    return new Shown(secret, proof.filter(_ -> secret.kind() == KeyKind.NODE));
  }

  private Optional<Bearer> bearer(Origin origin, Shown shown, Instant now) {
    KeySecret secret = shown.secret();
    FailedAttempts.Attempt attempt = attempt(origin, shown);
    return guard
        .attempts()
        .decide(
            attempt,
            () -> {
              Optional<Bearer> found =
                  changes
                      .acrossTenants()
                      .read(tables -> bearer(tables, secret, now))
                      .filter(bearer -> isProven(origin, bearer.key(), shown, attempt));
              if (found.isEmpty()) {
                noteRefusal(origin, secret, REJECTED);
              }
              return found;
            });
  }

  /// Each proof differs from the one before it, so a machine is known again by its secret and its
  /// public key, wherever it is.
  private static FailedAttempts.Attempt attempt(Origin origin, Shown shown) {
    KeySecret secret = shown.secret();
    return shown
        .proof()
        .map(numbered ->
            new FailedAttempts.Attempt(
                origin.address(),
                secret.id(),
                Secrets.hash(
                    "%s %s %d %s"
                        .formatted(
                            secret.text(),
                            numbered.proof().key().hex(),
                            numbered.counter(),
                            numbered.proof().signature())),
                Secrets.hash(secret.text() + " " + numbered.proof().key().hex())))
        .orElseGet(
            () -> new FailedAttempts.Attempt(origin.address(), secret.id(), Secrets.hash(secret)));
  }

  private boolean isProven(
      Origin origin, StoredKey key, Shown shown, FailedAttempts.Attempt attempt) {
    return switch (binding.check(origin, key, shown)) {
      case Verdict.Good() -> true;
      case Verdict.Wrong() -> {
        if (shown.proof().isEmpty()) {
          yield false;
        }
        // Anyone with the secret can sign wrongly, so the machine keeps its place.
        guard.attempts().countWrong(attempt);
        throw refused(origin, shown.secret(), REJECTED, new Denial.KeyRejected());
      }
      // The machine itself hears the counter, and asks again with another.
      case Verdict.Outdated(long last) -> {
        guard.attempts().countFailure(attempt);
        throw refused(origin, shown.secret(), OUTDATED, new Denial.ProofOutdated(last));
      }
      case Verdict.Ahead(long last) -> {
        guard.attempts().countFailure(attempt);
        throw refused(origin, shown.secret(), AHEAD, new Denial.ProofAhead(last));
      }
    };
  }

  private DeniedException refused(Origin origin, KeySecret secret, String reason, Denial denial) {
    if (!reason.equals(REJECTED)) {
      guard.metrics().denied(EXCHANGE, reason);
    }
    noteRefusal(origin, secret, reason);
    return new DeniedException(denial);
  }

  private static Optional<Bearer> bearer(Tables tables, KeySecret secret, Instant now) {
    Optional<KeyTable.Entry> entry = tables.keys().find(secret.id());
    boolean matches = Secrets.matches(secret, entry.map(KeyTable.Entry::hash).orElse(NOBODY));
    if (entry.isEmpty() || !matches || !entry.get().key().lifetime().isLive(now)) {
      return Optional.empty();
    }
    StoredKey key = entry.get().key();
    return Identities.present(tables, key.owner(), Optional.of(key))
        .map(identity -> new Bearer(key, identity, tables.revocations().position()));
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
      changes
          .acrossTenants()
          .change(tables -> {
            tables.keys().markUsed(key.id(), hour);
            return hour;
          });
    }
  }

  /// A known key that is no longer valid is recorded; an invented one is only noise.
  private void noteRefusal(Origin origin, KeySecret secret, String reason) {
    changes
        .acrossTenants()
        .read(tables -> tables.keys().find(secret.id()))
        .map(KeyTable.Entry::key)
        .ifPresent(key ->
            guard
                .refused()
                .record(origin, key.owner().tenant(), EXCHANGE, "keys/" + key.id(), reason));
  }
}

package io.headgate.agent.grpc;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.headgate.agent.runtime.ledger.MachineKey;
import io.headgate.agent.runtime.ledger.NodeIdentity;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.ExchangeKeyResponse;
import io.headgate.proto.policy.v1.MachineProof;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.type.ProofBytes;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The node's short token, got with its key and a proof of its machine, and renewed at half its
/// life.
///
/// Each proof has a higher counter than the one before it: the time in milliseconds, or the last
/// counter plus 1. Nothing of it is on disk. A clock that is wrong gives a counter that is too low
/// or too high. The refusal says the last one, and from there on the agent counts without the
/// clock.
///
/// Its life is counted by the monotonic clock from when it came: a wrong wall clock here at most
/// renews it too often.
final class NodeTokens implements TokenSource {
  private static final Duration SHORTEST_LIFE = Duration.ofSeconds(20);
  private static final Duration LONGEST_LIFE = Duration.ofMinutes(10);
  private static final int DEADLINE_SECONDS = 5;
  private static final String UNKNOWN_KEY = "KEY_REJECTED";
  private static final Set<String> WRONG_COUNTER = Set.of("PROOF_OUTDATED", "PROOF_AHEAD");
  private static final String COUNTER = "counter";
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,15}");

  private final Channel policy;
  private final NodeIdentity identity;
  private final MachineKey machineKey;
  private final TimeSource time;
  private final Consumer<JoinRefusedException> refused;
  private final Object lock = new Object();
  private @Nullable String token; // guarded by lock
  private long renewNanos; // guarded by lock
  private long endNanos; // guarded by lock
  private long counter; // of the last proof; guarded by lock
  private boolean isClockWrong; // guarded by lock

  /// @param refused told once the policy-service says that it does not know the key; must not block
  NodeTokens(
      Channel policy,
      Enrolment.Joined joined,
      TimeSource time,
      Consumer<JoinRefusedException> refused) {
    this.policy = policy;
    this.identity = joined.identity();
    this.machineKey = joined.machineKey();
    this.time = time;
    this.refused = refused;
  }

  @Override
  public Optional<String> token() {
    synchronized (lock) {
      long now = time.monotonicNanos();
      if (token == null || now - renewNanos >= 0) {
        renew(now);
      }
      return Optional.ofNullable(token);
    }
  }

  /// The token was refused: the next call gets a new one.
  void reject() {
    synchronized (lock) {
      token = null;
    }
  }

  private void renew(long now) {
    try {
      ExchangeKeyResponse answer = exchange();
      Duration life =
          Duration.between(
              time.instant(), Instant.ofEpochSecond(answer.getExpireTime().getSeconds()));
      life = life.compareTo(LONGEST_LIFE) > 0 ? LONGEST_LIFE : life;
      life = life.compareTo(SHORTEST_LIFE) < 0 ? SHORTEST_LIFE : life;
      token = answer.getToken();
      renewNanos = now + life.toNanos() / 2;
      endNanos = now + life.toNanos();
    } catch (RuntimeException e) {
      // While the policy-service is away, the token is good until its end. So is it while a service
      // that was restored does not know the key yet.
      if (token == null || now - endNanos >= 0) {
        if (e instanceof StatusRuntimeException && isUnknown(e)) {
          refused.accept(unknown());
        }
        throw e;
      }
    }
  }

  private ExchangeKeyResponse exchange() {
    try {
      return exchangeOnce();
    } catch (StatusRuntimeException e) {
      Optional<Long> last = lastCounter(e);
      if (last.isEmpty()) {
        throw e;
      }
      counter = last.get();
      isClockWrong = true;
      return exchangeOnce();
    }
  }

  private ExchangeKeyResponse exchangeOnce() {
    counter = isClockWrong ? counter + 1 : Math.max(counter + 1, time.instant().toEpochMilli());
    String key = identity.key().reveal();
    byte[] publicKey = machineKey.publicKey();
    byte[] proof = ProofBytes.ofExchange(key, counter, publicKey);
    return TokenServiceGrpc.newBlockingStub(policy)
        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .exchangeKey(
            ExchangeKeyRequest.newBuilder()
                .setKey(key)
                .setMachineProof(
                    MachineProof.newBuilder()
                        .setPublicKey(ByteString.copyFrom(publicKey))
                        .setCounter(counter)
                        .setSignature(ByteString.copyFrom(machineKey.sign(proof))))
                .build());
  }

  /// The counter of the last proof that was accepted; empty if the failure is another one.
  private static Optional<Long> lastCounter(RuntimeException failure) {
    return GrpcFailures.refusal(failure)
        .filter(refusal -> WRONG_COUNTER.contains(refusal.reason()))
        .map(refusal -> refusal.metadata().getOrDefault(COUNTER, ""))
        .filter(text -> NUMBER.matcher(text).matches())
        .map(Long::valueOf);
  }

  private static boolean isUnknown(RuntimeException failure) {
    return GrpcFailures.refusal(failure)
        .filter(refusal -> refusal.reason().equals(UNKNOWN_KEY))
        .isPresent();
  }

  private JoinRefusedException unknown() {
    return new JoinRefusedException(
        "the key of %s is unknown, revoked or expired, or bound to another file machine-key, so the"
                .formatted(identity.node())
            + " agent ends; its jobs run on until their stop-after. To let the machine join again, delete the file identity of the"
            + " data directory, get a token with headgate join-token "
            + identity.pool()
            + ", and start the agent with --join-token-file");
  }
}

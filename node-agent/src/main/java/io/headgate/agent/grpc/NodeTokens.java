package io.headgate.agent.grpc;

import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.headgate.agent.runtime.ledger.NodeIdentity;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.ExchangeKeyResponse;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The node's short token, got with its key and renewed at half its life.
///
/// Its life is counted by the monotonic clock from when it came: a wrong wall clock here at most
/// renews it too often.
final class NodeTokens implements TokenSource {
  private static final Duration SHORTEST_LIFE = Duration.ofSeconds(20);
  private static final Duration LONGEST_LIFE = Duration.ofMinutes(10);
  private static final int DEADLINE_SECONDS = 5;
  private static final String UNKNOWN_KEY = "KEY_REJECTED";

  private final Channel policy;
  private final NodeIdentity identity;
  private final TimeSource time;
  private final Consumer<JoinRefusedException> refused;
  private final Object lock = new Object();
  private @Nullable String token; // guarded by lock
  private long renewNanos; // guarded by lock
  private long endNanos; // guarded by lock

  /// @param refused told once the policy-service says that it does not know the key; must not block
  NodeTokens(
      Channel policy,
      NodeIdentity identity,
      TimeSource time,
      Consumer<JoinRefusedException> refused) {
    this.policy = policy;
    this.identity = identity;
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
      ExchangeKeyResponse answer =
          TokenServiceGrpc.newBlockingStub(policy)
              .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
              .exchangeKey(ExchangeKeyRequest.newBuilder().setKey(identity.key().reveal()).build());
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

  private static boolean isUnknown(RuntimeException failure) {
    return GrpcFailures.refusal(failure)
        .filter(refusal -> refusal.reason().equals(UNKNOWN_KEY))
        .isPresent();
  }

  private JoinRefusedException unknown() {
    return new JoinRefusedException(
        "the key of %s is unknown, revoked or expired, so the agent ends; its jobs run on until"
                .formatted(identity.node())
            + " their stop-after. To let the machine join again, delete the file identity of the"
            + " data directory, get a token with headgate join-token "
            + identity.pool()
            + ", and start the agent with --join-token-file");
  }
}

package io.headgate.pool.client;

import io.grpc.Channel;
import io.headgate.kit.client.RenewedTokens.Issued;
import io.headgate.kit.config.Secret;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.ExchangeKeyResponse;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Exchanges this service's long-lived key for a short-lived token.
///
/// @param policyService channel that sends no token itself
public record KeyExchange(Channel policyService, Secret key) implements Supplier<Issued> {
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  @Override
  public Issued get() {
    ExchangeKeyResponse response =
        TokenServiceGrpc.newBlockingStub(policyService)
            .withDeadlineAfter(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
            .exchangeKey(ExchangeKeyRequest.newBuilder().setKey(key.reveal()).build());
    return new Issued(
        response.getToken(),
        Instant.ofEpochSecond(
            response.getExpireTime().getSeconds(), response.getExpireTime().getNanos()));
  }
}

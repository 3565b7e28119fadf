package io.headgate.pool.client;

import io.grpc.Channel;
import io.headgate.proto.policy.v1.GetVerificationKeysRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import java.util.function.Supplier;

/// Fetches the public keys that verify tokens from their issuer.
///
/// @param channel to the issuer; its deadline bounds each request
public record VerificationKeys(Channel channel) implements Supplier<String> {

  @Override
  public String get() {
    return TokenServiceGrpc.newBlockingStub(channel)
        .getVerificationKeys(GetVerificationKeysRequest.getDefaultInstance())
        .getJwksJson();
  }
}

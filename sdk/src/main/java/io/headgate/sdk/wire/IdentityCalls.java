package io.headgate.sdk.wire;

import io.headgate.proto.policy.v1.CreateJoinTokenRequest;
import io.headgate.proto.policy.v1.CreateJoinTokenResponse;
import io.headgate.proto.policy.v1.CreateKeyRequest;
import io.headgate.proto.policy.v1.CreateKeyResponse;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.WhoAmIRequest;
import io.headgate.proto.policy.v1.WhoAmIResponse;

/// Calls about who one is, in messages.
public final class IdentityCalls {
  private final Connection connection;

  public IdentityCalls(Connection connection) {
    this.connection = connection;
  }

  public WhoAmIResponse whoAmI() {
    return connection.call(
        TokenServiceGrpc.getWhoAmIMethod(), WhoAmIRequest.getDefaultInstance(), Safety.REPEATABLE);
  }

  /// Makes a key. Not repeatable: each one is a new secret.
  public CreateKeyResponse createKey(String owner, String description) {
    return connection.call(
        TokenServiceGrpc.getCreateKeyMethod(),
        CreateKeyRequest.newBuilder().setOwner(owner).setDescription(description).build(),
        Safety.ONCE);
  }

  public CreateJoinTokenResponse createJoinToken(String tenant, String pool, int uses) {
    return connection.call(
        TokenServiceGrpc.getCreateJoinTokenMethod(),
        CreateJoinTokenRequest.newBuilder()
            .setParent(ResourceNames.tenant(tenant))
            .setPool(pool)
            .setUses(uses)
            .build(),
        Safety.ONCE);
  }
}

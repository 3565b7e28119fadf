package io.headgate.sdk.gate;

import com.google.protobuf.Any;
import com.google.protobuf.Empty;
import com.google.protobuf.Timestamp;
import com.google.rpc.BadRequest;
import com.google.rpc.BadRequest.FieldViolation;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.headgate.proto.policy.v1.CreateJoinTokenRequest;
import io.headgate.proto.policy.v1.CreateJoinTokenResponse;
import io.headgate.proto.policy.v1.CreateKeyRequest;
import io.headgate.proto.policy.v1.CreateKeyResponse;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.ExchangeKeyResponse;
import io.headgate.proto.policy.v1.JoinToken;
import io.headgate.proto.policy.v1.Key;
import io.headgate.proto.policy.v1.ListJoinTokensRequest;
import io.headgate.proto.policy.v1.ListJoinTokensResponse;
import io.headgate.proto.policy.v1.ListKeysRequest;
import io.headgate.proto.policy.v1.ListKeysResponse;
import io.headgate.proto.policy.v1.RevokeJoinTokenRequest;
import io.headgate.proto.policy.v1.RevokeKeyRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.WhoAmIRequest;
import io.headgate.proto.policy.v1.WhoAmIResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Exchanges one key for numbered tokens.
public final class TestTokens extends TokenServiceGrpc.TokenServiceImplBase {
  public volatile Duration life = Duration.ofMinutes(10);
  public volatile String subject = "tenants/acme/users/ada";

  /// Keys that exist; revoking removes them.
  public final List<Key> keys = new CopyOnWriteArrayList<>();

  /// Join tokens that exist; revoking removes them.
  public final List<JoinToken> joinTokens = new CopyOnWriteArrayList<>();

  /// The last request for a join token.
  public volatile CreateJoinTokenRequest joining = CreateJoinTokenRequest.getDefaultInstance();

  private final AtomicInteger issued = new AtomicInteger();
  private final Set<String> valid = ConcurrentHashMap.newKeySet();

  /// Invalidates every token issued so far.
  public void revokeAll() {
    valid.clear();
  }

  boolean accepts(@Nullable String authorization) {
    return authorization != null
        && authorization.startsWith("Bearer ")
        && valid.contains(authorization.substring("Bearer ".length()));
  }

  @Override
  public void exchangeKey(ExchangeKeyRequest request, StreamObserver<ExchangeKeyResponse> answer) {
    if (!request.getKey().equals(TestGate.KEY)) {
      answer.onError(
          TestGate.refusal(
              Status.Code.UNAUTHENTICATED, "KEY_REJECTED", "the key is unknown or revoked"));
      return;
    }
    String claims = "{\"sub\":\"%s\",\"n\":%d}".formatted(subject, issued.incrementAndGet());
    String token =
        "e30."
            + Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(claims.getBytes(StandardCharsets.UTF_8))
            + ".sig";
    valid.add(token);
    Instant expires = Instant.now().plus(life);
    answer.onNext(
        ExchangeKeyResponse.newBuilder()
            .setToken(token)
            .setExpireTime(Timestamp.newBuilder().setSeconds(expires.getEpochSecond()))
            .build());
    answer.onCompleted();
  }

  @Override
  public void createKey(CreateKeyRequest request, StreamObserver<CreateKeyResponse> answer) {
    if (request.getOwner().endsWith("/users/nobody")) {
      answer.onError(
          TestGate.refusal(
              Status.Code.INVALID_ARGUMENT, "USER_NOT_FOUND", "user 'nobody' does not exist"));
      return;
    }
    if (request.getOwner().endsWith("/serviceAccounts/nobody")) {
      answer.onError(
          TestGate.refusal(
              Status.Code.INVALID_ARGUMENT,
              "SERVICE_ACCOUNT_NOT_FOUND",
              "service account 'nobody' does not exist"));
      return;
    }
    Key.Builder key =
        Key.newBuilder()
            .setName("keys/" + "%016x".formatted(keys.size() + 1))
            .setOwner(request.getOwner())
            .setDescription(request.getDescription())
            .setCreateTime(Timestamp.newBuilder().setSeconds(1_795_269_600));
    if (request.hasTimeToLive()) {
      key.setExpireTime(
          Timestamp.newBuilder().setSeconds(1_795_269_600 + request.getTimeToLive().getSeconds()));
    }
    keys.addFirst(key.build());
    TestSupply.send(
        answer, CreateKeyResponse.newBuilder().setKey(key).setSecret("hg_user_secret").build());
  }

  @Override
  public void listKeys(ListKeysRequest request, StreamObserver<ListKeysResponse> answer) {
    TestSupply.send(answer, ListKeysResponse.newBuilder().addAllKeys(keys).build());
  }

  @Override
  public void revokeKey(RevokeKeyRequest request, StreamObserver<Empty> answer) {
    keys.removeIf(key -> key.getName().equals(request.getName()));
    TestSupply.send(answer, Empty.getDefaultInstance());
  }

  @Override
  public void createJoinToken(
      CreateJoinTokenRequest request, StreamObserver<CreateJoinTokenResponse> answer) {
    joining = request;
    if (request.getTimeToLive().getSeconds() > 86_400) {
      answer.onError(
          TestGate.refusal(
              Status.Code.INVALID_ARGUMENT,
              "OUT_OF_RANGE",
              "time_to_live: 25h is not within 1s to 24h",
              Any.pack(
                  BadRequest.newBuilder()
                      .addFieldViolations(
                          FieldViolation.newBuilder()
                              .setField("time_to_live")
                              .setDescription("25h is not within 1s to 24h"))
                      .build())));
      return;
    }
    String name = request.getParent() + "/joinTokens/" + "%016x".formatted(joinTokens.size() + 1);
    joinTokens.addFirst(
        JoinToken.newBuilder()
            .setName(name)
            .setPool(request.getPool())
            .setUses(request.getUses())
            .setUsesLeft(request.getUses())
            .setCreateTime(Timestamp.newBuilder().setSeconds(1_795_269_600))
            .setExpireTime(
                Timestamp.newBuilder()
                    .setSeconds(1_795_269_600 + request.getTimeToLive().getSeconds()))
            .build());
    TestSupply.send(
        answer,
        CreateJoinTokenResponse.newBuilder().setJoinToken("hg_join_secret").setName(name).build());
  }

  @Override
  public void listJoinTokens(
      ListJoinTokensRequest request, StreamObserver<ListJoinTokensResponse> answer) {
    TestSupply.send(
        answer, ListJoinTokensResponse.newBuilder().addAllJoinTokens(joinTokens).build());
  }

  @Override
  public void revokeJoinToken(RevokeJoinTokenRequest request, StreamObserver<Empty> answer) {
    joinTokens.removeIf(token -> token.getName().equals(request.getName()));
    TestSupply.send(answer, Empty.getDefaultInstance());
  }

  @Override
  public void whoAmI(WhoAmIRequest request, StreamObserver<WhoAmIResponse> answer) {
    answer.onNext(
        WhoAmIResponse.newBuilder()
            .setSubject(subject)
            .setRole("ROLE_MEMBER")
            .setTenant("acme")
            .addGroups("ai-dev")
            .addQueues("ai-dev-half")
            .addQueues("ai-dev-eight")
            .build());
    answer.onCompleted();
  }
}

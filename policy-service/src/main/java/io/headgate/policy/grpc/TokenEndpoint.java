package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.TokenSigner;
import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.CallThreads;
import io.headgate.kit.grpc.Pages;
import io.headgate.kit.grpc.Pages.Page;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.kit.grpc.ProvenConnection;
import io.headgate.kit.watch.WatchHub;
import io.headgate.policy.core.Denial;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.key.KeySecret;
import io.headgate.policy.core.key.MachineKey;
import io.headgate.policy.core.key.StoredJoinToken;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.NodeId;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.QueueId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.Changes;
import io.headgate.policy.runtime.Enrolment;
import io.headgate.policy.runtime.Keys;
import io.headgate.policy.runtime.SigningKeys;
import io.headgate.policy.runtime.Tokens;
import io.headgate.policy.runtime.port.KeyTable.Scope;
import io.headgate.proto.policy.v1.CreateJoinTokenRequest;
import io.headgate.proto.policy.v1.CreateJoinTokenResponse;
import io.headgate.proto.policy.v1.CreateKeyRequest;
import io.headgate.proto.policy.v1.CreateKeyResponse;
import io.headgate.proto.policy.v1.EnrollNodeRequest;
import io.headgate.proto.policy.v1.EnrollNodeResponse;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.ExchangeKeyResponse;
import io.headgate.proto.policy.v1.GetVerificationKeysRequest;
import io.headgate.proto.policy.v1.GetVerificationKeysResponse;
import io.headgate.proto.policy.v1.JoinToken;
import io.headgate.proto.policy.v1.Key;
import io.headgate.proto.policy.v1.ListJoinTokensRequest;
import io.headgate.proto.policy.v1.ListJoinTokensResponse;
import io.headgate.proto.policy.v1.ListKeysRequest;
import io.headgate.proto.policy.v1.ListKeysResponse;
import io.headgate.proto.policy.v1.RevokeJoinTokenRequest;
import io.headgate.proto.policy.v1.RevokeKeyRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.WatchRevocationsRequest;
import io.headgate.proto.policy.v1.WatchRevocationsResponse;
import io.headgate.proto.policy.v1.WhoAmIRequest;
import io.headgate.proto.policy.v1.WhoAmIResponse;
import io.headgate.type.NameRule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/// Serves keys, tokens, join tokens and the caller's identity.
final class TokenEndpoint extends TokenServiceGrpc.TokenServiceImplBase {
  private static final String KEYS = "keys/";
  private static final String JOIN_TOKENS = "joinTokens";
  private static final String TIME_TO_LIVE = "time_to_live";

  /// The threads of calls that show a secret. Such a call may wait in the slow lane of failed
  /// attempts, and must take no thread from other calls meanwhile.
  private static final Executor SIGN_INS =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("sign-in-", 0).factory());

  private final Parts parts;
  private final Answers answers;
  private final Pages pages;
  private final Watches watches;

  /// The operations behind the endpoint.
  record Parts(Tokens tokens, SigningKeys signing, Keys keys, Enrolment enrolment) {}

  /// The watch of revocations, and what it reads.
  record Watches(WatchHub hub, Changes changes) {}

  TokenEndpoint(Parts parts, Answers answers, Pages pages, Watches watches) {
    this.parts = parts;
    this.answers = answers;
    this.pages = pages;
    this.watches = watches;
  }

  @Override
  public void exchangeKey(ExchangeKeyRequest request, StreamObserver<ExchangeKeyResponse> out) {
    ProvenConnection connection = ProvenConnection.ofCall();
    CallThreads.apart(
        SIGN_INS,
        out,
        () ->
            answers.read(
                out,
                origin -> {
                  TokenSigner.Signed signed =
                      parts
                          .tokens()
                          .exchange(origin, request.getKey(), MachineMapping.proof(request));
                  KeySecret.parse(request.getKey())
                      .ifPresent(key -> connection.prove("key " + key.id()));
                  return ExchangeKeyResponse.newBuilder()
                      .setToken(signed.token())
                      .setExpireTime(ProtoTimes.toProto(signed.expires()))
                      .build();
                }));
  }

  @Override
  public void getVerificationKeys(
      GetVerificationKeysRequest request, StreamObserver<GetVerificationKeysResponse> out) {
    answers.read(
        out,
        origin ->
            GetVerificationKeysResponse.newBuilder()
                .setJwksJson(parts.signing().publicJwks())
                .build());
  }

  @Override
  public void whoAmI(WhoAmIRequest request, StreamObserver<WhoAmIResponse> out) {
    answers.read(
        out,
        origin -> {
          Tokens.Self self = parts.tokens().self(origin);
          return WhoAmIResponse.newBuilder()
              .setSubject(self.identity().subject())
              .setRole("ROLE_" + self.identity().role().name())
              .setTenant(self.identity().tenant().map(TenantId::value).orElse(""))
              .addAllGroups(self.identity().groups().stream().map(GroupId::value).toList())
              .addAllQueues(self.queues().stream().map(QueueId::value).toList())
              .build();
        });
  }

  @Override
  public void createKey(CreateKeyRequest request, StreamObserver<CreateKeyResponse> out) {
    answers.change(
        out,
        request.getOwner(),
        origin -> {
          KeyOwner owner =
              KeyOwner.parse(request.getOwner())
                  .orElseThrow(() ->
                      new DeniedException(new Denial.InvalidOwner("owner", request.getOwner())));
          Optional<Duration> timeToLive =
              request.hasTimeToLive()
                  ? Optional.of(ProtoTimes.duration(TIME_TO_LIVE, request.getTimeToLive()))
                  : Optional.empty();
          Keys.Made made =
              parts
                  .keys()
                  .create(origin, new Keys.NewKey(owner, request.getDescription(), timeToLive));
          return CreateKeyResponse.newBuilder()
              .setKey(toProto(made.key()))
              .setSecret(made.secret().text())
              .build();
        });
  }

  @Override
  public void listKeys(ListKeysRequest request, StreamObserver<ListKeysResponse> out) {
    answers.read(
        out,
        origin -> {
          Optional<TenantId> tenant =
              request.getParent().isEmpty()
                  ? origin.required().tenant()
                  : Optional.of(Names.tenant("parent", request.getParent()));
          Page<Keys.Listed> page =
              pages.read(
                  new Pages.Request(
                      List.of(
                          request.getShowRevoked() ? "ListKeys, revoked ones too" : "ListKeys",
                          tenant.map(TenantId::value).orElse("")),
                      request.getPageSize(),
                      request.getPageToken()),
                  (after, limit) ->
                      parts
                          .keys()
                          .list(
                              origin,
                              new Scope(tenant, request.getShowRevoked()),
                              after.map(KeyPositions::read),
                              limit),
                  listed -> KeyPositions.write(listed.key()));
          return ListKeysResponse.newBuilder()
              .addAllKeys(page.items().stream().map(TokenEndpoint::toProto).toList())
              .setNextPageToken(page.nextToken())
              .build();
        });
  }

  @Override
  public void revokeKey(RevokeKeyRequest request, StreamObserver<Empty> out) {
    answers.change(
        out,
        request.getName(),
        origin -> {
          parts.keys().revoke(origin, keyId(request.getName()));
          return Empty.getDefaultInstance();
        });
  }

  @Override
  public void createJoinToken(
      CreateJoinTokenRequest request, StreamObserver<CreateJoinTokenResponse> out) {
    answers.change(
        out,
        request.getParent() + "/" + JOIN_TOKENS,
        origin -> {
          TenantId tenant = Names.tenant("parent", request.getParent());
          if (!NameRule.isValid(request.getPool())) {
            throw new DeniedException(new Denial.InvalidName("pool", Kind.POOL, request.getPool()));
          }
          Optional<Duration> timeToLive =
              request.hasTimeToLive()
                  ? Optional.of(ProtoTimes.duration(TIME_TO_LIVE, request.getTimeToLive()))
                  : Optional.empty();
          Enrolment.MadeToken made =
              parts
                  .enrolment()
                  .createToken(
                      origin,
                      new Enrolment.NewToken(
                          tenant, new PoolId(request.getPool()), request.getUses(), timeToLive));
          return CreateJoinTokenResponse.newBuilder()
              .setJoinToken(made.secret().text())
              .setExpireTime(ProtoTimes.toProto(made.token().expiresAt()))
              .setName(name(made.token()))
              .build();
        });
  }

  @Override
  public void listJoinTokens(
      ListJoinTokensRequest request, StreamObserver<ListJoinTokensResponse> out) {
    answers.read(
        out,
        origin -> {
          TenantId tenant = Names.tenant("parent", request.getParent());
          Page<StoredJoinToken> page =
              pages.read(
                  new Pages.Request(
                      List.of("ListJoinTokens", tenant.value()),
                      request.getPageSize(),
                      request.getPageToken()),
                  (after, limit) ->
                      parts.enrolment().tokens(tenant, after.map(KeyPositions::read), limit),
                  KeyPositions::write);
          return ListJoinTokensResponse.newBuilder()
              .addAllJoinTokens(page.items().stream().map(TokenEndpoint::toProto).toList())
              .setNextPageToken(page.nextToken())
              .build();
        });
  }

  @Override
  public void revokeJoinToken(RevokeJoinTokenRequest request, StreamObserver<Empty> out) {
    answers.change(
        out,
        request.getName(),
        origin -> {
          var token = Names.secret("name", request.getName(), JOIN_TOKENS);
          parts.enrolment().revoke(origin, token.tenant(), token.id());
          return Empty.getDefaultInstance();
        });
  }

  @Override
  public void enrollNode(EnrollNodeRequest request, StreamObserver<EnrollNodeResponse> out) {
    ProvenConnection connection = ProvenConnection.ofCall();
    CallThreads.apart(
        SIGN_INS,
        out,
        () ->
            answers.change(
                out,
                "nodes/" + request.getNodeId(),
                origin -> {
                  Enrolment.Enrolled enrolled =
                      parts
                          .enrolment()
                          .enroll(
                              origin,
                              new Enrolment.Applicant(
                                  request.getJoinToken(),
                                  new NodeId(request.getNodeId()),
                                  Optional.of(request.getRequestId()).filter(id -> !id.isEmpty()),
                                  MachineMapping.proof(request)));
                  String node = new KeyOwner.OfNode(enrolled.tenant(), enrolled.node()).name();
                  connection.prove(node);
                  return EnrollNodeResponse.newBuilder()
                      .setNode(node)
                      .setPool(enrolled.pool().value())
                      .setNodeKey(enrolled.secret().text())
                      .build();
                }));
  }

  @Override
  public void watchRevocations(
      WatchRevocationsRequest request, StreamObserver<WatchRevocationsResponse> out) {
    watches
        .hub()
        .open(
            out,
            request.getVersion(),
            new RevocationSource(watches.changes(), request.getIncarnation()));
  }

  private static KeyId keyId(String name) {
    if (!name.startsWith(KEYS) || !KeyId.isValid(name.substring(KEYS.length()))) {
      throw Refusal.invalidField(
              "INVALID_NAME", "name", "'" + name + "' is not the name of a key: write keys/ID")
          .exception();
    }
    return new KeyId(name.substring(KEYS.length()));
  }

  private static String name(StoredJoinToken token) {
    return "tenants/" + token.tenant() + "/" + JOIN_TOKENS + "/" + token.id();
  }

  private static JoinToken toProto(StoredJoinToken token) {
    return JoinToken.newBuilder()
        .setName(name(token))
        .setPool(token.pool().value())
        .setUses(token.uses())
        .setUsesLeft(token.usesLeft())
        .setCreateTime(ProtoTimes.toProto(token.createdAt()))
        .setExpireTime(ProtoTimes.toProto(token.expiresAt()))
        .build();
  }

  private static Key toProto(Keys.Listed listed) {
    return toProto(listed.key()).toBuilder().setOwnerWithoutGroup(listed.isWithoutGroup()).build();
  }

  private static Key toProto(StoredKey key) {
    Key.Builder proto =
        Key.newBuilder()
            .setName(KEYS + key.id())
            .setOwner(key.owner().name())
            .setDescription(key.description())
            .setCreateTime(ProtoTimes.toProto(key.lifetime().createdAt()));
    key.lifetime().expiresAt().ifPresent(at -> proto.setExpireTime(ProtoTimes.toProto(at)));
    key.lifetime().revokedAt().ifPresent(at -> proto.setRevokeTime(ProtoTimes.toProto(at)));
    key.machineKey().map(MachineKey::hex).ifPresent(proto::setMachineKey);
    key.lastUsedAt().ifPresent(at -> proto.setLastUseTime(ProtoTimes.toProto(at)));
    return proto.build();
  }
}

package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status.Code;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.policy.core.identity.ServiceAccount;
import io.headgate.policy.core.identity.User;
import io.headgate.policy.core.key.StoredJoinToken;
import io.headgate.policy.core.key.StoredKey;
import io.headgate.proto.policy.v1.CreateGroupRequest;
import io.headgate.proto.policy.v1.CreateJoinTokenRequest;
import io.headgate.proto.policy.v1.CreateKeyRequest;
import io.headgate.proto.policy.v1.CreateKeyResponse;
import io.headgate.proto.policy.v1.CreateServiceAccountRequest;
import io.headgate.proto.policy.v1.CreateUserRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.RevokeKeyRequest;
import io.headgate.proto.policy.v1.ServiceAccountServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc.TokenServiceBlockingStub;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// How much a tenant and an owner may have; what is there is put straight into the tables.
class BoundsTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private final Acme acme = Acme.found(POLICY);
  private final TokenServiceBlockingStub tokens = TokenServiceGrpc.newBlockingStub(acme.admin());

  @Test
  void anOwnerHasAtMostSoManyKeysThatWork() throws Exception {
    String owner = acme.parent() + "/users/ada";
    List<Callable<CreateKeyResponse>> creations = new ArrayList<>();
    for (int i = 0; i < StoredKey.MAX_PER_OWNER + 10; i++) {
      creations.add(() -> key(owner));
    }
    List<String> made = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<CreateKeyResponse> creation : threads.invokeAll(creations)) {
        try {
          made.add(creation.get().getKey().getName());
        } catch (ExecutionException e) {
          assertThat(
                  PolicyFixture.refusal(
                          () -> {
                            throw e.getCause();
                          })
                      .reason())
              .isEqualTo("TOO_MANY");
        }
      }
    }
    assertThat(made).hasSize(StoredKey.MAX_PER_OWNER);
    refusesOneMore(() -> key(owner), "owner", StoredKey.MAX_PER_OWNER);
    tokens.revokeKey(RevokeKeyRequest.newBuilder().setName(made.getFirst()).build());
    key(owner);
    key(acme.parent() + "/users/admin");
  }

  @Test
  void keysThatEndedCountNoMore() {
    CreateKeyRequest.Builder hour =
        CreateKeyRequest.newBuilder()
            .setTimeToLive(com.google.protobuf.Duration.newBuilder().setSeconds(3600));
    var operator = TokenServiceGrpc.newBlockingStub(POLICY.operator());
    for (int i = 0; i < StoredKey.MAX_PER_OWNER; i++) {
      operator.createKey(hour.clone().setOwner("services/crowded").build());
    }
    CreateKeyRequest another = CreateKeyRequest.newBuilder().setOwner("services/crowded").build();
    refusesOneMore(() -> operator.createKey(another), "owner", StoredKey.MAX_PER_OWNER);
    POLICY.clock().advance(Duration.ofHours(1));
    TokenServiceGrpc.newBlockingStub(POLICY.operator()).createKey(another);
  }

  @Test
  void aTenantHasAtMostSoManyUsers() {
    int there = count("users");
    insert(
        "users (tenant_id, user_id, display_name, is_admin, created_at)",
        "'', false,",
        User.MAX_PER_TENANT - there - 1);
    user("last");
    refusesOneMore(() -> user("one-more"), "user_id", User.MAX_PER_TENANT);
    Refusal named =
        refusesOneMore(() -> acme.group("devs", "another"), "users", User.MAX_PER_TENANT);
    assertThat(named.message()).contains("100000");
    assertThat(acme.configuration().getVersion()).isZero();
    assertThat(count("users")).isEqualTo(User.MAX_PER_TENANT);
    acme.group("devs", "last");
  }

  @Test
  void aTenantHasAtMostSoManyServiceAccounts() {
    insert(
        "service_accounts (tenant_id, service_account_id, display_name, created_at)",
        "'',",
        ServiceAccount.MAX_PER_TENANT - 1);
    account("last");
    refusesOneMore(() -> account("one-more"), "service_account_id", ServiceAccount.MAX_PER_TENANT);
    refusesOneMore(
        () ->
            GroupServiceGrpc.newBlockingStub(acme.admin())
                .createGroup(
                    CreateGroupRequest.newBuilder()
                        .setParent(acme.parent())
                        .setGroupId("bots")
                        .setGroup(Group.newBuilder().addServiceAccounts("another"))
                        .build()),
        "service_accounts",
        ServiceAccount.MAX_PER_TENANT);
  }

  @Test
  void aTenantHasAtMostSoManyJoinTokensThatHaveNotEnded() {
    jooq()
        .execute(
            "insert into join_tokens (join_token_id, tenant_id, pool_id, secret_sha256, uses,"
                + " uses_left, created_at, created_by, expires_at) select {0} || n, {1}, 'onprem',"
                + " sha256('x'), 1, 1, {2}, 'test', {3} from generate_series(1, {4}) n",
            DSL.val(acme.id() + "-"),
            DSL.val(acme.id()),
            DSL.val(POLICY.clock().instant().atOffset(ZoneOffset.UTC)),
            DSL.val(POLICY.clock().instant().plusSeconds(3600).atOffset(ZoneOffset.UTC)),
            DSL.val(StoredJoinToken.MAX_PER_TENANT - 1));
    joinToken();
    refusesOneMore(this::joinToken, "parent", StoredJoinToken.MAX_PER_TENANT);
    POLICY.clock().advance(Duration.ofHours(1));
    TokenServiceGrpc.newBlockingStub(POLICY.operator()).createJoinToken(wanted());
  }

  private static Refusal refusesOneMore(Runnable call, String field, int max) {
    Refusal refusal = PolicyFixture.refusal(call::run);
    assertThat(refusal.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(refusal.reason()).isEqualTo("TOO_MANY");
    assertThat(refusal.violations().getFirst().field()).isEqualTo(field);
    assertThat(refusal.metadata()).containsEntry("max", Integer.toString(max));
    return refusal;
  }

  private CreateKeyResponse key(String owner) {
    return tokens.createKey(CreateKeyRequest.newBuilder().setOwner(owner).build());
  }

  private void joinToken() {
    tokens.createJoinToken(wanted());
  }

  private CreateJoinTokenRequest wanted() {
    return CreateJoinTokenRequest.newBuilder().setParent(acme.parent()).setPool("onprem").build();
  }

  private void user(String id) {
    UserServiceGrpc.newBlockingStub(acme.admin())
        .createUser(
            CreateUserRequest.newBuilder()
                .setParent(acme.parent())
                .setUserId(id)
                .setUser(io.headgate.proto.policy.v1.User.getDefaultInstance())
                .build());
  }

  private void account(String id) {
    ServiceAccountServiceGrpc.newBlockingStub(acme.admin())
        .createServiceAccount(
            CreateServiceAccountRequest.newBuilder()
                .setParent(acme.parent())
                .setServiceAccountId(id)
                .setServiceAccount(io.headgate.proto.policy.v1.ServiceAccount.getDefaultInstance())
                .build());
  }

  private int count(String table) {
    return jooq().fetchCount(DSL.table(table), DSL.field("tenant_id", String.class).eq(acme.id()));
  }

  /// Rows whose ids are `u1`, `u2`, ...
  private void insert(String columns, String values, int count) {
    jooq()
        .execute(
            "insert into "
                + columns
                + " select {0}, 'u' || n, "
                + values
                + " now() from generate_series(1, {1}) n",
            DSL.val(acme.id()),
            DSL.val(count));
  }

  private static DSLContext jooq() {
    return POSTGRES.database().jooq();
  }
}

package io.headgate.pool;

import static io.headgate.pool.Client.configuration;
import static io.headgate.pool.Client.pool;
import static io.headgate.pool.Client.profile;
import static io.headgate.pool.Client.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.grpc.Status;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Role;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.Refusal.FieldViolation;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.ReplaceDraftResponse;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.Warning;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Profiles of tenants name pools of the tenant `platform`, of which they see nothing else.
final class SharedPoolNamesTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("pool");

  @Order(2)
  @RegisterExtension
  static final PoolFixture POOL = PoolFixture.on(POSTGRES);

  @Order(3)
  @RegisterExtension
  static final ApiServerExtension SERVER = new ApiServerExtension(POOL::register);

  private final String tenant = Client.newTenant();
  private final Client admin =
      new Client(
          SERVER.channel(
              SERVER
                  .tokens()
                  .token(
                      Principal.ofTenant(
                          "tenants/" + tenant + "/users/ada",
                          Role.TENANT_ADMIN,
                          tenant,
                          List.of()))));
  private final Client operator = new Client(SERVER.channel(SERVER.tokens().operator()));

  @BeforeEach
  void share() {
    operator.apply("platform", configuration(List.of(pool("platform", "h100").build()), List.of()));
  }

  private ResourceConfiguration using(String... pools) {
    return configuration(
        List.of(pool(tenant, "own").build()), List.of(profile(tenant, "one", "1", pools).build()));
  }

  @Test
  void aProfileRunsInSharedPoolsAndOwnOnesInItsOrder() {
    admin.apply(tenant, using("platform/h100", "own"));
    ResourceConfiguration inForce =
        admin.configurations.getResourceConfiguration(
            GetResourceConfigurationRequest.newBuilder().setParent("tenants/" + tenant).build());
    assertThat(inForce.getProfiles(0).getPoolsList()).containsExactly("platform/h100", "own");
    assertThat(inForce.getPoolsList()).hasSize(1);
    assertThat(admin.apply(tenant, using("own", "platform/h100")).getVersion()).isEqualTo(2);
  }

  @Test
  void anUnknownSharedPoolIsRefusedWithASimilarName() {
    Refusal refusal = refused(() -> admin.replaceDraft(tenant, using("own", "platform/h10")));
    assertThat(refusal.violations())
        .extracting(FieldViolation::field, FieldViolation::reason)
        .containsExactly(tuple("profiles[one].pools[1]", "UNKNOWN_POOL"));
    assertThat(refusal.message()).contains("did you mean 'platform/h100'?");
  }

  @Test
  void onlyThePlatformsPoolsAreShared() {
    Refusal refusal = refused(() -> admin.replaceDraft(tenant, using("own", "globex/h100")));
    assertThat(refusal.violations())
        .extracting(FieldViolation::reason)
        .containsExactly("INVALID_NAME");
    ResourceConfiguration named =
        configuration(List.of(pool(tenant, "platform/h100").build()), List.of());
    assertThat(refused(() -> admin.replaceDraft(tenant, named)).reason()).isEqualTo("INVALID_NAME");
  }

  @Test
  void aTenantReadsAndWritesNothingOfThePlatform() {
    Refusal read =
        refused(() ->
            admin.configurations.getResourceConfiguration(
                GetResourceConfigurationRequest.newBuilder()
                    .setParent("tenants/platform")
                    .build()));
    assertThat(read.code()).isEqualTo(Status.Code.NOT_FOUND);
    Refusal write =
        refused(() -> admin.replaceDraft("platform", configuration(List.of(), List.of())));
    assertThat(write.code()).isEqualTo(Status.Code.NOT_FOUND);
  }

  @Test
  void aSharedPoolIsNotCalledUnused() {
    ReplaceDraftResponse answer =
        operator.replaceDraft(
            "platform", configuration(List.of(pool("platform", "h100").build()), List.of()));
    assertThat(answer.getWarningsList())
        .extracting(Warning::getReason)
        .doesNotContain("UNUSED_POOL");
  }
}

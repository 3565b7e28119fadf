package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.grpc.Status.Code;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.Refusal.FieldViolation;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.CreateTenantRequest;
import io.headgate.proto.policy.v1.CreateUserRequest;
import io.headgate.proto.policy.v1.DeleteTenantRequest;
import io.headgate.proto.policy.v1.GetAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ListTenantsRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationResponse;
import io.headgate.proto.policy.v1.Tenant;
import io.headgate.proto.policy.v1.TenantPart;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The reserved tenant that owns shared pools, and the parts of tenants, in the store and on the
/// wire.
final class SharedPoolsTest {
  private static final String PLATFORM = "tenants/platform";

  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private Acme acme;

  @BeforeEach
  void found() {
    acme = Acme.found(POLICY);
    POLICY
        .pools()
        .provision(
            "platform",
            ResourceConfiguration.newBuilder()
                .setTenant("platform")
                .setVersion(1)
                .addPools(FakePools.pool("platform", "h100", ""))
                .build());
  }

  @AfterEach
  void takeBack() {
    replace();
  }

  private static ReplaceAccessConfigurationResponse replace(TenantPart... parts) {
    AccessConfiguration.Builder configuration =
        AccessConfiguration.newBuilder().setTenant("platform");
    for (TenantPart part : parts) {
      configuration.addTenants(part);
    }
    return AccessConfigurationServiceGrpc.newBlockingStub(POLICY.operator())
        .replaceAccessConfiguration(
            ReplaceAccessConfigurationRequest.newBuilder()
                .setParent(PLATFORM)
                .setConfiguration(configuration)
                .build());
  }

  private static AccessConfiguration inForce() {
    return AccessConfigurationServiceGrpc.newBlockingStub(POLICY.operator())
        .getAccessConfiguration(
            GetAccessConfigurationRequest.newBuilder().setParent(PLATFORM).build());
  }

  private static TenantPart part(String tenant, String reservation, String limit) {
    return TenantPart.newBuilder()
        .setName("tenants/" + tenant)
        .addPools("h100")
        .setReservation(reservation)
        .setLimit(limit)
        .build();
  }

  @Test
  void partsAreKeptAndChangedAsAWhole() {
    String other = POLICY.tenant();
    replace(part(acme.id(), "4", "8"), part(other, "2", ""));
    assertThat(inForce().getTenantsList())
        .extracting(TenantPart::getName, TenantPart::getReservation, TenantPart::getLimit)
        .containsExactlyInAnyOrder(
            tuple(acme.parent(), "4", "8"), tuple("tenants/" + other, "2", ""));
    long version = inForce().getVersion();
    assertThat(replace(part(acme.id(), "4", "8"), part(other, "2", "")).getConfiguration())
        .as("the same again changes nothing")
        .extracting(AccessConfiguration::getVersion)
        .isEqualTo(version);
    replace(part(acme.id(), "3", "8"));
    assertThat(inForce().getTenantsList())
        .extracting(TenantPart::getReservation, TenantPart::getWeight)
        .containsExactly(tuple("3", 1));
  }

  @Test
  void anUnknownTenantIsRefusedAtItsPlace() {
    Refusal refusal = PolicyFixture.refusal(() -> replace(part("nobody-here", "1", "")));
    assertThat(refusal.violations())
        .extracting(FieldViolation::field, FieldViolation::reason)
        .containsExactly(tuple("tenants[nobody-here].name", "TENANT_NOT_FOUND"));
  }

  @Test
  void anAdminOfATenantNeitherReadsNorWritesThePlatform() {
    Refusal write =
        PolicyFixture.refusal(() ->
            AccessConfigurationServiceGrpc.newBlockingStub(acme.admin())
                .replaceAccessConfiguration(
                    ReplaceAccessConfigurationRequest.newBuilder()
                        .setParent(PLATFORM)
                        .setConfiguration(AccessConfiguration.newBuilder().setTenant("platform"))
                        .build()));
    assertThat(write.code()).isEqualTo(Code.NOT_FOUND);
    Refusal own =
        PolicyFixture.refusal(() ->
            acme.replace(AccessConfiguration.newBuilder().addTenants(part(acme.id(), "9", ""))));
    assertThat(own.reason()).isEqualTo("PLATFORM_ONLY");
  }

  @Test
  void nobodyMakesOrRemovesTheTenantOrAnAccountInIt() {
    var tenants = TenantServiceGrpc.newBlockingStub(POLICY.operator());
    Refusal made =
        PolicyFixture.refusal(() ->
            tenants.createTenant(
                CreateTenantRequest.newBuilder()
                    .setTenantId("platform")
                    .setTenant(Tenant.getDefaultInstance())
                    .build()));
    assertThat(made.reason()).isEqualTo("TENANT_RESERVED");
    Refusal removed =
        PolicyFixture.refusal(
            () -> tenants.deleteTenant(DeleteTenantRequest.newBuilder().setName(PLATFORM).build()));
    assertThat(removed.reason()).isEqualTo("TENANT_RESERVED");
    Refusal account =
        PolicyFixture.refusal(() ->
            UserServiceGrpc.newBlockingStub(POLICY.operator())
                .createUser(
                    CreateUserRequest.newBuilder()
                        .setParent(PLATFORM)
                        .setUserId("eve")
                        .setUser(User.newBuilder().setAdmin(true))
                        .build()));
    assertThat(account.reason()).isEqualTo("PLATFORM_HAS_NO_RIGHTS");
    assertThat(
            tenants
                .listTenants(ListTenantsRequest.newBuilder().setPageSize(1000).build())
                .getTenantsList())
        .extracting(Tenant::getName)
        .contains(acme.parent())
        .doesNotContain(PLATFORM);
  }

  @Test
  void aTenantWithAPartIsNotRemoved() {
    replace(part(acme.id(), "1", ""));
    var tenants = TenantServiceGrpc.newBlockingStub(POLICY.operator());
    DeleteTenantRequest request = DeleteTenantRequest.newBuilder().setName(acme.parent()).build();
    assertThat(PolicyFixture.refusal(() -> tenants.deleteTenant(request)).reason())
        .isEqualTo("TENANT_IN_USE");
    replace();
    assertThat(tenants.deleteTenant(request).isInitialized()).isTrue();
  }
}

package io.headgate.scheduler.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Duration;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.pool.v1.Fairness;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.catalog.Access;
import io.headgate.scheduler.runtime.catalog.Budgets;
import io.headgate.scheduler.runtime.catalog.Catalogs;
import io.headgate.scheduler.runtime.catalog.DraftReader;
import io.headgate.scheduler.runtime.catalog.Supply;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.type.GpuQuantity;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The core decides by the profile that the contract carries.
class ContractDraftReaderTest {
  private static final TenantId ACME = new TenantId("acme");

  @Test
  void readsWhatDevicesAProfileWantsAndHowLongItWaitsForOthers() {
    Profile given =
        read(profile().addGpuModels("A100").addGpuModels("H100").setPreemptionDelay(seconds(90)))
            .profiles()
            .getFirst();

    assertThat(given.gpuModels()).containsExactlyInAnyOrder("A100", "H100");
    assertThat(given.preemptionDelay()).hasSeconds(90);
    Profile plain = read(profile()).profiles().getFirst();
    assertThat(plain.gpuModels()).isEmpty();
    assertThat(plain.preemptionDelay()).isEqualTo(Profile.DEFAULT_PREEMPTION_DELAY);
  }

  @Test
  void readsHowJobsShareAPool() {
    ResourceConfiguration draft =
        ResourceConfiguration.newBuilder()
            .addPools(
                Pool.newBuilder()
                    .setName("tenants/acme/pools/p")
                    .setPromoteAfter(seconds(86_400))
                    .setConsolidate(true)
                    .setFairness(Fairness.newBuilder().setHalfLife(seconds(604_800))))
            .addPools(Pool.newBuilder().setName("tenants/acme/pools/plain"))
            .addProfiles(
                profile().setReclaim(io.headgate.proto.pool.v1.Profile.Reclaim.RECLAIM_FAIR))
            .build();
    Supply supply = new ContractDraftReader().supply(ACME, Document.of(draft.toByteArray()));
    var shared = supply.pools().getFirst().pool();
    assertThat(shared.promoteAfter()).hasValue(java.time.Duration.ofDays(1));
    assertThat(shared.halfLife()).hasValue(java.time.Duration.ofDays(7));
    assertThat(shared.consolidate()).isTrue();
    var plain = supply.pools().getLast().pool();
    assertThat(plain.promoteAfter()).isEmpty();
    assertThat(plain.halfLife()).isEmpty();
    assertThat(plain.consolidate()).isFalse();
    assertThat(supply.profiles().getFirst().reclaim()).isEqualTo(Reclaim.FAIR);
  }

  @Test
  void readsDepartmentsAndThePoliciesBelowThem() {
    AccessConfiguration draft =
        AccessConfiguration.newBuilder()
            .addDepartments(
                io.headgate.proto.policy.v1.Department.newBuilder()
                    .setName("tenants/acme/departments/science")
                    .setReservation("12")
                    .setLimit("49/2")
                    .setWeight(3))
            .addDepartments(
                io.headgate.proto.policy.v1.Department.newBuilder()
                    .setName("tenants/acme/departments/physics")
                    .setDepartment("science"))
            .addPolicies(policy("rnd").setDepartment("physics").setPreemptAfter(seconds(30)))
            .addPolicies(policy("ops"))
            .build();
    Access access = new ContractDraftReader().access(ACME, Document.of(draft.toByteArray()));
    DepartmentId science = new DepartmentId(ACME, "science");
    DepartmentId physics = new DepartmentId(ACME, "physics");
    assertThat(access.departments())
        .containsExactly(
            new Department(
                science,
                Optional.empty(),
                Optional.of(GpuQuantity.ofGpus(12)),
                Optional.of(GpuQuantity.parse("49/2")),
                3),
            new Department(physics, Optional.of(science), Optional.empty(), Optional.empty(), 1));
    assertThat(Catalogs.merged(ACME, null, access, Budgets.NONE).departments())
        .isEqualTo(access.departments());
    Policy rnd = access.policies().getFirst().policy();
    assertThat(rnd.department()).hasValue(physics);
    assertThat(rnd.preemptAfter()).hasSeconds(30);
    Policy ops = access.policies().getLast().policy();
    assertThat(ops.department()).isEmpty();
    assertThat(ops.preemptAfter()).isZero();
  }

  private static io.headgate.proto.policy.v1.Policy.Builder policy(String id) {
    return io.headgate.proto.policy.v1.Policy.newBuilder()
        .setName("tenants/acme/policies/" + id)
        .setGroup("rnd")
        .setLimit("4");
  }

  @Test
  void belongsToTheAskingTenantWhateverItsNamesSay() {
    assertThat(read(profile().setName("tenants/umbrella/profiles/one")).profiles())
        .singleElement()
        .satisfies(profile -> assertThat(profile.id().tenant()).isEqualTo(ACME));
  }

  @Test
  void refusesAPartThatMakesNoSense() {
    DraftReader.UnreadableDraftException refusal =
        catchThrowableOfType(
            DraftReader.UnreadableDraftException.class,
            () -> read(profile().setPreemptionDelay(seconds(-1))));

    assertThat(refusal.field()).isEqualTo("profiles[one]");
    assertThat(refusal).hasMessageContaining("preemptionDelay");
  }

  private static Supply read(io.headgate.proto.pool.v1.Profile.Builder profile) {
    ResourceConfiguration draft =
        ResourceConfiguration.newBuilder()
            .addPools(Pool.newBuilder().setName("tenants/acme/pools/p"))
            .addProfiles(profile)
            .build();
    return new ContractDraftReader().supply(ACME, Document.of(draft.toByteArray()));
  }

  private static io.headgate.proto.pool.v1.Profile.Builder profile() {
    return io.headgate.proto.pool.v1.Profile.newBuilder()
        .setName("tenants/acme/profiles/one")
        .setGpus("1")
        .addPools("p");
  }

  private static Duration seconds(long seconds) {
    return Duration.newBuilder().setSeconds(seconds).build();
  }
}

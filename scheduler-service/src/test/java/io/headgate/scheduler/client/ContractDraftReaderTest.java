package io.headgate.scheduler.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Duration;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.catalog.DraftReader;
import io.headgate.scheduler.runtime.catalog.Supply;
import io.headgate.scheduler.runtime.record.Document;
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

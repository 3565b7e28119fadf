package io.headgate.sdk.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.type.GpuQuantity;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A file of pools that several tenants share, and of each tenant's part of them.
class PlatformFileTest {
  private static final String FILE =
      """
      apiVersion: headgate/v1
      kind: Platform

      pools:
        - name: h100
          type: static

      tenants:
        - name: acme
          pools: [h100]
          reservation: 16
          limit: 48
        - name: globex
          pools: [h100]
          weight: 2
      """;

  private static Configuration read(String text) throws ConfigurationException {
    return ConfigurationReader.read("platform.yaml", text).configuration();
  }

  private static List<Problem> problems(String text) {
    return catchThrowableOfType(ConfigurationException.class, () -> read(text)).problems();
  }

  @Test
  void isReadAndWrittenInTheSameForm() throws Exception {
    Configuration platform = read(FILE);
    assertThat(platform.isPlatform()).isTrue();
    assertThat(platform.parts())
        .containsExactly(
            new TenantPart(
                "acme", List.of("h100"), GpuQuantity.parse("16"), GpuQuantity.parse("48"), 1),
            new TenantPart("globex", List.of("h100"), GpuQuantity.ZERO, null, 2));
    assertThat(ConfigurationWriter.write(platform)).isEqualTo(FILE);
    assertThat(ConfigurationDiff.between(platform, read(FILE)).isEmpty()).isTrue();
  }

  @Test
  void aChangedPartIsAChangeOfRights() throws Exception {
    ConfigurationDiff diff =
        ConfigurationDiff.between(read(FILE), read(FILE.replace("limit: 48", "limit: 32")));
    assertThat(diff.changes())
        .extracting(ConfigurationDiff.Change::kind, ConfigurationDiff.Change::name)
        .containsExactly(tuple(ConfigurationDiff.ObjectKind.PART, "acme in h100"));
    assertThat(diff.changesAccess()).isTrue();
    assertThat(diff.changesResources()).isFalse();
  }

  @Test
  void unknownKeysDanglingPoolsAndDoublePartsAreRefusedAtTheirPlaces() {
    assertThat(problems(FILE.replace("weight: 2", "wait: 2")))
        .extracting(Problem::reason)
        .containsExactly("UNKNOWN_KEY");
    assertThat(problems(FILE.replace("pools: [h100]\n    weight", "pools: [h200]\n    weight")))
        .extracting(Problem::field)
        .containsExactly("tenants[globex].pools[0]");
    assertThat(problems(FILE.replace("globex", "acme")))
        .extracting(Problem::reason)
        .containsExactly("DUPLICATE_NAME");
    assertThat(problems(FILE.replace("limit: 48", "limit: 8")))
        .extracting(Problem::reason)
        .containsExactly("RESERVATION_ABOVE_LIMIT");
    assertThat(problems(FILE + "policies: []\n"))
        .extracting(Problem::reason)
        .containsExactly("UNKNOWN_KEY");
  }

  @Test
  void profilesOfTenantsNameSharedPools() throws Exception {
    String tenant =
        """
        apiVersion: headgate/v1
        kind: Configuration
        tenant: acme
        profiles: [{name: one, gpus: 1, pools: [platform/h100]}]
        """;
    assertThat(read(tenant).profiles().getFirst().pools()).containsExactly("platform/h100");
    assertThat(problems(tenant.replace("platform/h100", "platform/H100"))).hasSize(1);
    assertThat(problems(tenant.replace("platform/h100", "globex/h100"))).hasSize(1);
  }
}

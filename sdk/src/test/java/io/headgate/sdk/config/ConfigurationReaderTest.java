package io.headgate.sdk.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.type.GpuQuantity;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationReaderTest {
  @TempDir Path directory;

  @Test
  void readsAndWritesLeadsAndVisibility() throws Exception {
    String text =
        """
        apiVersion: headgate/v1
        kind: Configuration
        tenant: acme
        visibility: tenant

        groups:
          - name: ai-dev
            users: [ada, grace]
            leads: [grace]
        """;
    Configuration read = ConfigurationReader.read("acme.yaml", text).configuration();
    assertThat(read.visibility()).isEqualTo(Visibility.TENANT);
    assertThat(read.groups().getFirst().leads()).containsExactly("grace");
    assertThat(ConfigurationWriter.write(read)).isEqualTo(text);
    assertThat(
            ConfigurationDiff.between(
                    ConfigurationReader.read("acme.yaml", text.replace("visibility: tenant\n", ""))
                        .configuration(),
                    read)
                .changes())
        .singleElement()
        .satisfies(change -> {
          assertThat(change.kind()).isEqualTo(ConfigurationDiff.ObjectKind.TENANT);
          assertThat(change.fields().get("visibility"))
              .hasToString("FieldChange[from=own, to=tenant]");
        });
  }

  @Test
  void readsEveryKeyOfTheDocumentedExample() throws Exception {
    Configuration acme = ConfigurationReader.read("acme.yaml", example()).configuration();

    assertThat(acme.tenant()).isEqualTo("acme");
    assertThat(acme.groups())
        .containsExactly(
            new Group("ai-dev", List.of("ada", "grace"), List.of("nightly")),
            new Group("research", List.of("alan"), List.of()));
    Pool onprem = acme.pools().getFirst();
    assertThat(onprem.capacity()).isEqualTo(GpuQuantity.ofGpus(16));
    assertThat(onprem.mig()).isEqualTo(Pool.Mig.KEEP);
    assertThat(onprem.order()).containsExactly("eight", "half");
    assertThat(onprem.dedicatedTo()).isEqualTo(new Pool.Dedication.ToPolicy("regulated"));
    assertThat(onprem.pricePerGpuHour()).isEqualByComparingTo("1.2");
    Pool.Elasticity cloud = acme.pools().get(1).elasticity();
    assertThat(cloud).isNotNull();
    assertThat(cloud.settings()).containsEntry("scaleUp", "./up.sh").hasSize(2);
    assertThat(cloud.instance())
        .isEqualTo(new Pool.Instance(8, "A100", 80L << 30, 96_000, 1100L << 30));
    assertThat(cloud.spot()).isTrue();
    Profile half = acme.profiles().getFirst();
    assertThat(half.gpus()).hasToString("1/2");
    assertThat(half.cpuMillis()).isEqualTo(4000);
    assertThat(half.gpuMemoryBytes()).isEqualTo(20L << 30);
    assertThat(half.isolation()).isEqualTo(Profile.Isolation.DRIVER_CONTAINER);
    assertThat(acme.profiles().get(1).holdAfter()).isEqualTo(Duration.ofMinutes(90));
    Policy aiDev = acme.policies().getFirst();
    assertThat(aiDev.stopAfter()).isEqualTo(Duration.ofMinutes(40));
    assertThat(aiDev.exceedLimit()).containsExactly("grace");
    assertThat(aiDev.queues())
        .containsExactly(new Policy.Queue("ai-dev-half", "half", 1, Policy.OverReservation.ALLOW));
    Policy regulated = acme.policies().get(1);
    assertThat(regulated.stopAfter()).isNull();
    assertThat(regulated.reservation()).isEqualTo(GpuQuantity.ZERO);
  }

  @Test
  void aStaticPoolStatesWhatItsMachinesHaveOrNothing() throws Exception {
    List<Pool> pools =
        ConfigurationReader.read(
                "c.yaml",
                """
                apiVersion: headgate/v1
                kind: Configuration
                pools:
                  - {name: whole, instance: {gpus: 8, gpuModel: A100, gpuMemory: 80GiB, cpus: 96}}
                  - {name: gpus, instance: {gpus: 4}}
                  - {name: old}
                """)
            .configuration()
            .pools();
    assertThat(pools)
        .extracting(Pool::instance)
        .containsExactly(
            new Pool.Instance(8, "A100", 80L << 30, 96_000, 0),
            new Pool.Instance(4, null, 0, 0, 0),
            null);
    assertThat(pools).extracting(Pool::elasticity).containsOnlyNulls();
  }

  @Test
  void aStaticPoolThatStatesItsMachinesStatesTheirGpus() {
    ConfigurationException refusal =
        catchThrowableOfType(
            ConfigurationException.class,
            () ->
                ConfigurationReader.read(
                    "c.yaml",
                    "apiVersion: headgate/v1\nkind: Configuration\n"
                        + "pools: [{name: p, instance: {cpus: 96, memory: 1TiB}}]\n"));
    assertThat(refusal.problems())
        .extracting(Problem::field, Problem::message, Problem::next)
        .containsExactly(
            tuple(
                "pools[p].instance.gpus",
                "pools[p].instance has no gpus",
                "say the most GPUs of one machine: gpus: 8, or gpus: 0 for machines without GPUs"));
  }

  @Test
  void readsWhatDevicesAProfileWantsAndHowLongItWaitsForOthers() throws Exception {
    String head = "apiVersion: headgate/v1\nkind: Configuration\npools: [{name: p}]\n";

    Profile given =
        ConfigurationReader.read(
                "c.yaml",
                head
                    + "profiles: [{name: one, gpus: 1, pools: [p], gpuModels: [A100, H100 80GB],"
                    + " images: true, preemptionDelay: 90s}]\n")
            .configuration()
            .profiles()
            .getFirst();
    assertThat(given.gpuModels()).containsExactly("A100", "H100 80GB");
    assertThat(given.images()).isTrue();
    assertThat(given.preemptionDelay()).isEqualTo(Duration.ofSeconds(90));
    Profile plain =
        ConfigurationReader.read("c.yaml", head + "profiles: [{name: one, gpus: 1, pools: [p]}]\n")
            .configuration()
            .profiles()
            .getFirst();
    assertThat(plain.gpuModels()).isEmpty();
    assertThat(plain.images()).isFalse();
    assertThat(plain.preemptionDelay()).isEqualTo(Duration.ofMinutes(5));

    ConfigurationException refusal =
        catchThrowableOfType(
            ConfigurationException.class,
            () ->
                ConfigurationReader.read(
                    "c.yaml",
                    head
                        + "profiles: [{name: one, gpus: 1, pools: [p],\n"
                        + "  gpuModels: [A100, '', A100], preemptionDelay: soon}]\n"));
    assertThat(refusal.problems())
        .extracting(Problem::field, Problem::reason)
        .containsExactly(
            tuple("profiles[one].gpuModels[1]", "BAD_VALUE"),
            tuple("profiles[one].gpuModels[2]", "DUPLICATE_NAME"),
            tuple("profiles[one].preemptionDelay", "BAD_VALUE"));
    assertThat(refusal.problems().getFirst().span()).isEqualTo(new Span(5, 21, 2));
  }

  @Test
  void readsJson() throws Exception {
    String json =
        """
        {"apiVersion": "headgate/v1", "kind": "Configuration",
         "pools": [{"name": "p", "capacity": 0.5, "mig": "auto"}],
         "profiles": [{"name": "one", "gpus": 1, "pools": ["p"]}]}
        """;

    Configuration configuration = ConfigurationReader.read("c.json", json).configuration();

    assertThat(configuration.tenant()).isNull();
    assertThat(configuration.pools().getFirst().capacity()).hasToString("1/2");
    assertThat(configuration.pools().getFirst().mig()).isEqualTo(Pool.Mig.AUTO);
  }

  @Test
  void remembersWhereEachFieldStands() throws Exception {
    SourceMap map = ConfigurationReader.read("acme.yaml", example()).sourceMap();

    assertThat(map.find("policies[ai-dev].limit")).contains(new Span(46, 12, 2));
    assertThat(map.find("profiles[half].pools[1]")).contains(new Span(37, 29, 11));
    assertThat(map.find("policies[ai-dev].queues[ai-dev-half].rank")).contains(new Span(57, 50, 1));
    assertThat(map.find("policies[regulated].weight")).contains(new Span(58, 5, 1));
  }

  @Test
  void reportsAllMistakesInFileOrderAndShowsTwenty() {
    StringBuilder text =
        new StringBuilder("apiVersion: headgate/v1\nkind: Configuration\npools:\n");
    for (int i = 0; i < 25; i++) {
      text.append("  - {name: p").append(i).append(", capacity: many}\n");
    }

    ConfigurationException e = refusal(text.toString());

    assertThat(e.total()).isEqualTo(25);
    assertThat(e.problems()).hasSize(ConfigurationException.MAX_SHOWN);
    assertThat(e.problems().getFirst().span()).isEqualTo(new Span(4, 26, 4));
  }

  @Test
  void refusesWhatIsNotText() throws IOException {
    Path file = directory.resolve("c.yaml");
    Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});

    assertThatThrownBy(() -> ConfigurationReader.read(file)).hasMessageContaining("not UTF-8");
  }

  @Test
  void refusesFilesThatAreTooLarge() throws IOException {
    Path file = directory.resolve("c.yaml");
    Files.writeString(file, "# " + "x".repeat(YamlTreeParser.Bounds.CONFIGURATION.characters));

    assertThatThrownBy(() -> ConfigurationReader.read(file))
        .hasMessageContaining("larger than 4 MiB");
  }

  @Test
  void boundsAliasesThatStandForBillionsOfValues() {
    StringBuilder text = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; i++) {
      text.append("a%d: &a%d [".formatted(i, i)).append(("*a" + (i - 1) + ", ").repeat(10));
      text.append("]\n");
    }

    assertThat(refusal(text.toString()).problems().getFirst().reason()).isEqualTo("FILE_TOO_LARGE");
  }

  /// The library's time grows with the square of a word: 20 MB take 20 seconds.
  @Test
  void boundsWordsAndComments() {
    String word = "x".repeat(1 << 17);
    for (String text :
        List.of("k: " + word, "k: \"" + word + "\"", "a: b\n  #" + word + "\nk: v", word + ": v")) {
      assertThat(refusal(text).problems())
          .singleElement()
          .satisfies(problem -> {
            assertThat(problem.reason()).isEqualTo("VALUE_TOO_LONG");
            assertThat(problem.message()).contains("more than 65536 characters");
          });
    }
    assertThat(refusal("a: b\nkey: " + word).problems().getFirst().span())
        .isEqualTo(new Span(2, 6, 1));
  }

  /// The same bound as policy-service's, so that a file that passes here is not refused there.
  @Test
  void boundsTheWeightAsTheServerDoes() throws ConfigurationException {
    String file =
        """
        apiVersion: headgate/v1
        kind: Configuration
        groups: [{name: g}]
        policies: [{name: p, group: g, reservation: 0, limit: 1, weight: %d}]
        """;
    assertThat(
            ConfigurationReader.read("c.yaml", file.formatted(10_000))
                .configuration()
                .policies()
                .getFirst()
                .weight())
        .isEqualTo(10_000);
    assertThat(refusal(file.formatted(10_001)).problems())
        .singleElement()
        .satisfies(problem ->
            assertThat(problem.field() + " " + problem.next()).contains("weight", "10000"));
  }

  @Test
  void boundsNesting() {
    ConfigurationException e = refusal("pools: " + "[".repeat(100) + "]".repeat(100));

    assertThat(e.problems().getFirst().message()).contains("nested deeper than 32");
  }

  private static ConfigurationException refusal(String text) {
    return catchThrowableOfType(
        ConfigurationException.class, () -> ConfigurationReader.read("c.yaml", text));
  }

  static String example() throws IOException {
    try (InputStream in = ConfigurationReaderTest.class.getResourceAsStream("/config/acme.yaml")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}

package io.headgate.sdk.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ConfigurationWriterTest {
  @Test
  void writesTheDocumentedExampleWithoutWhatIsDefault() throws Exception {
    Configuration acme =
        ConfigurationReader.read("acme.yaml", ConfigurationReaderTest.example()).configuration();

    assertThat(ConfigurationWriter.write(acme))
        .isEqualTo(
            """
            apiVersion: headgate/v1
            kind: Configuration
            tenant: acme

            groups:
              - name: ai-dev
                users: [ada, grace]
                serviceAccounts: [nightly]
              - name: research
                users: [alan]

            pools:
              - name: onprem-rtx6000
                type: static
                gpuModel: RTX6000
                capacity: 16
                order: [eight, half]
                dedicatedTo:
                  policy: regulated
                pricePerGpuHour: 1.20
                currency: USD
                instance:
                  gpus: 8
                  gpuMemory: 48GiB
              - name: cloud-burst
                type: elastic
                provider: exec
                settings:
                  scaleUp: ./up.sh
                  scaleDown: ./down.sh
                instance:
                  gpus: 8
                  gpuModel: A100
                  gpuMemory: 80GiB
                  cpus: 96
                  memory: 1100GiB
                maxInstances: 4
                spot: true

            profiles:
              - name: half
                gpus: 1/2
                cpus: 4
                memory: 16GiB
                gpuMemory: 20GiB
                isolation: driver-container
                pools: [onprem-rtx6000, cloud-burst]
              - name: eight
                gpus: 8
                pools: [onprem-rtx6000]
                holdAfter: 1h30m
                reclaim: rank

            policies:
              - name: ai-dev
                group: ai-dev
                reservation: 4
                limit: 10
                perUserLimit: 6
                exceedLimit: [grace]
                description: "the AI development team"
                queues:
                  - {name: ai-dev-half, profile: half}
              - name: regulated
                group: research
                limit: 8
                stopAfter: never
                queues:
                  - {name: regulated-eight, profile: eight, rank: 2, overReservation: deny}
            """);
  }

  @Test
  void whatIsWrittenReadsBackEqual() throws Exception {
    Configuration acme =
        ConfigurationReader.read("acme.yaml", ConfigurationReaderTest.example()).configuration();

    assertThat(readBack(acme)).isEqualTo(acme);
  }

  /// Any text survives: quotes, colons, line ends, controls, other scripts.
  @Test
  void hostileTextReadsBackEqual() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 300; round++) {
      Configuration configuration = withText(text(random), text(random));

      assertThat(readBack(configuration))
          .as("seed %d round %d", seed, round)
          .isEqualTo(configuration);
    }
  }

  @Test
  void wordsThatYamlReadsAsSomethingElseReadBackEqual() throws Exception {
    for (String word :
        List.of(
            "null", "~", "true", "no", "", " ", "-", "1e3", "0x1F", "#a", "a: b", "[x]", "*a")) {
      assertThat(readBack(withText(word, word))).isEqualTo(withText(word, word));
    }
  }

  private static Configuration withText(String description, String setting) {
    Pool pool =
        new Pool(
            "p",
            Pool.Type.ELASTIC,
            null,
            null,
            Pool.Mig.AUTO,
            List.of(),
            new Pool.Rules(Duration.ofMillis(1500), true, Duration.ofDays(7)),
            null,
            null,
            null,
            "shared",
            new Pool.Elasticity(
                "exec",
                Map.of("key " + setting.length(), setting),
                new Pool.Instance(1, null, 0, 500, 1_500_000_000),
                1,
                2,
                Duration.ofMillis(1500),
                false),
            null,
            description);
    Profile profile =
        new Profile(
            "f",
            GpuQuantity.parse("1/7"),
            3,
            250,
            1000,
            0,
            null,
            List.of("RTX 6000", "a: \"b\", [c]"),
            true,
            List.of("p"),
            Duration.ZERO,
            Duration.ofSeconds(90),
            Profile.Reclaim.STRICT,
            description);
    return new Configuration("t", List.of(), List.of(pool), List.of(profile), List.of());
  }

  private static String text(SplittableRandom random) {
    List<String> alphabet =
        List.of(
            "a", "Z", "7", " ", "\"", "'", "\\", ":", "#", "\n", "\t", "\r", "\u0000", "\u001b",
            "\u0085", "\u2028", "ß", "日", "😀", "{", "]", ",", "&", "*", "!", "%", "@", "`",
            "\u007f");
    List<String> parts = new ArrayList<>();
    int length = random.nextInt(12);
    for (int i = 0; i < length; i++) {
      parts.add(alphabet.get(random.nextInt(alphabet.size())));
    }
    return String.join("", parts);
  }

  private static Configuration readBack(Configuration configuration) throws Exception {
    return ConfigurationReader.read("back.yaml", ConfigurationWriter.write(configuration))
        .configuration();
  }
}

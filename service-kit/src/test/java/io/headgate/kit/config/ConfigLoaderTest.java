package io.headgate.kit.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigLoaderTest {
  enum Colour {
    LIGHT_BLUE,
    RED
  }

  record Shelf(
      @Setting(meaning = "Name.") String name,
      @Setting(meaning = "Number of goods.") @Default("3") int capacity) {
    Shelf {
      if (capacity < 1) {
        throw new IllegalArgumentException("capacity: at least 1, not " + capacity);
      }
    }
  }

  record Store(
      @Setting(meaning = "Address.") URI url,
      @Setting(meaning = "Password.") Secret password,
      @Setting(meaning = "Connections.") @Default("16") int maxConnections) {}

  record Limits(
      @Setting(meaning = "Length of a lease.") Duration leaseTtl,
      @Setting(meaning = "Memory.") ByteSize memory) {
    static final Limits DEFAULTS = new Limits(Duration.ofSeconds(90), ByteSize.ofMebibytes(512));
  }

  record Config(
      @Setting(meaning = "The store.") Store store,
      @Setting(meaning = "Limits.") Limits limits,
      @Setting(meaning = "A spare shelf.") Optional<Shelf> spare,
      @Setting(meaning = "The shelves.") List<Shelf> shelves,
      @Setting(meaning = "Words.") List<String> tags,
      @Setting(meaning = "Weights.") Map<String, Integer> weights,
      @Setting(meaning = "Colour.") @Default("red") Colour colour,
      @Setting(meaning = "Whether it is open.") @Default("true") boolean open,
      @Setting(meaning = "A ratio.") @Default("0.5") double ratio,
      @Setting(meaning = "A file.") Optional<Path> file,
      @Setting(meaning = "A port.") @Default("9") long httpPort) {}

  private static final String MINIMAL =
      """
      store:
        url: http://localhost:1
        password: hunter2
      """;

  @Test
  void readsAMappingFromAVariable() {
    assertThat(
            ConfigLoader.parse(
                    Config.class,
                    "test.yaml",
                    MINIMAL + "weights: {three: 3}\n",
                    Map.of("HEADGATE_WEIGHTS", "one=1, two=2"))
                .weights())
        .containsExactly(Map.entry("one", 1), Map.entry("two", 2));
    for (String wrong : List.of("one", "one=1,one=2", "one=x")) {
      ConfigException refused =
          catchThrowableOfType(
              ConfigException.class,
              () ->
                  ConfigLoader.parse(
                      Config.class, "test.yaml", MINIMAL, Map.of("HEADGATE_WEIGHTS", wrong)));
      assertThat(refused).as(wrong).hasMessageContaining("HEADGATE_WEIGHTS");
    }
  }

  @Test
  void readsEveryKindOfComponent() {
    Config config =
        parse(
            MINIMAL
                + """
                  max-connections: 4
                limits: {lease-ttl: 1h30m, memory: 16GiB}
                spare: {name: s}
                shelves:
                  - name: a
                  - {name: b, capacity: 7}
                tags: [x, y]
                weights: {one: 1, two: 2}
                colour: light-blue
                open: no
                ratio: 0.25
                file: /tmp/f
                http-port: 8080
                """);
    assertThat(config.store())
        .isEqualTo(new Store(URI.create("http://localhost:1"), Secret.of("hunter2"), 4));
    assertThat(config.limits().leaseTtl()).hasMinutes(90);
    assertThat(config.limits().memory().bytes()).isEqualTo(16L << 30);
    assertThat(config.spare()).contains(new Shelf("s", 3));
    assertThat(config.shelves()).containsExactly(new Shelf("a", 3), new Shelf("b", 7));
    assertThat(config.tags()).containsExactly("x", "y");
    assertThat(config.weights()).containsEntry("one", 1).containsEntry("two", 2);
    assertThat(config.colour()).isEqualTo(Colour.LIGHT_BLUE);
    assertThat(config.open()).isFalse();
    assertThat(config.ratio()).isEqualTo(0.25);
    assertThat(config.file()).contains(Path.of("/tmp/f"));
    assertThat(config.httpPort()).isEqualTo(8080);
  }

  @Test
  void fillsInDefaults() {
    Config config = parse(MINIMAL);
    assertThat(config.store().maxConnections()).isEqualTo(16);
    assertThat(config.limits()).isEqualTo(Limits.DEFAULTS);
    assertThat(config.spare()).isEmpty();
    assertThat(config.shelves()).isEmpty();
    assertThat(config.weights()).isEmpty();
    assertThat(config.colour()).isEqualTo(Colour.RED);
    assertThat(config.open()).isTrue();
    assertThat(config.file()).isEmpty();
  }

  @Test
  void takesTheRestOfAPartlyGivenRecordFromItsDefaults() {
    Config config = parse(MINIMAL + "limits: {memory: 1GiB}\n");
    assertThat(config.limits())
        .isEqualTo(new Limits(Duration.ofSeconds(90), ByteSize.ofMebibytes(1024)));
  }

  @Test
  void theEnvironmentWins() {
    Config config =
        ConfigLoader.parse(
            Config.class,
            "f.yaml",
            MINIMAL,
            Map.of(
                "HEADGATE_STORE_MAX_CONNECTIONS", "5",
                "HEADGATE_STORE_PASSWORD", "other",
                "HEADGATE_LIMITS_LEASE_TTL", "15m",
                "HEADGATE_SPARE_NAME", "s",
                "HEADGATE_TAGS", "p, q",
                "HEADGATE_FILE", "/x",
                "HEADGATE_HTTP_PORT", "1"));
    assertThat(config.store().maxConnections()).isEqualTo(5);
    assertThat(config.store().password().reveal()).isEqualTo("other");
    assertThat(config.limits().leaseTtl()).hasMinutes(15);
    assertThat(config.spare()).contains(new Shelf("s", 3));
    assertThat(config.tags()).containsExactly("p", "q");
    assertThat(config.file()).contains(Path.of("/x"));
    assertThat(config.httpPort()).isEqualTo(1);
  }

  @Test
  void readsASecretFromTheFileThatAVariableNames(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("password"), "from-file\n");
    Config config =
        ConfigLoader.parse(
            Config.class,
            "f.yaml",
            "store: {url: 'http://h:1'}",
            Map.of("HEADGATE_STORE_PASSWORD_FILE", file.toString()));
    assertThat(config.store().password().reveal()).isEqualTo("from-file");
  }

  @Test
  void runsFromTheEnvironmentAlone() {
    Config config =
        ConfigLoader.load(
            Config.class,
            Optional.empty(),
            Map.of("HEADGATE_STORE_URL", "http://h:1", "HEADGATE_STORE_PASSWORD", "p"));
    assertThat(config.store().url()).isEqualTo(URI.create("http://h:1"));
  }

  @Test
  void readsAFile(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("c.yaml"), MINIMAL);
    assertThat(
            ConfigLoader.load(Config.class, Optional.of(file), Map.of()).store().maxConnections())
        .isEqualTo(16);
    ConfigException missing =
        catchThrowableOfType(
            ConfigException.class,
            () ->
                ConfigLoader.load(
                    Config.class, Optional.of(directory.resolve("none.yaml")), Map.of()));
    assertThat(missing).hasMessageContaining("none.yaml").hasMessageContaining("no such file");
  }

  @Test
  void showsNoSecret() {
    assertThat(parse(MINIMAL).toString()).doesNotContain("hunter2");
  }

  @Test
  void reportsEveryProblemAtOnce() {
    ConfigException refused =
        refused(
            """
            store:
              url: http://localhost:1
              max-connection: 4
              password: p
            limits: {lease-ttl: soon}
            colour: blue
            """);
    assertThat(refused.problems())
        .extracting(ConfigProblem::toString)
        .containsExactlyInAnyOrder(
            "f.yaml:3:3: store.max-connection: 'max-connection' is not a known key: did you mean"
                + " 'max-connections'?",
            "f.yaml:5:21: limits.lease-ttl: 'soon' is not a duration: write 250ms, 90s, 15m, 2h or"
                + " 1h30m",
            "f.yaml:6:9: colour: 'blue' is not a known value: known are light-blue, red");
  }

  record Case(String yaml, String where, String key, String words) {}

  @ParameterizedTest
  @MethodSource
  void refuses(Case bad) {
    ConfigException refused = refused(bad.yaml());
    assertThat(refused.problems())
        .anySatisfy(problem -> {
          assertThat(problem.where()).isEqualTo(bad.where());
          assertThat(problem.key()).isEqualTo(bad.key());
          assertThat(problem.message()).contains(bad.words());
        });
  }

  static List<Case> refuses() {
    return List.of(
        new Case("", "f.yaml", "store.url", "set it in the file or by HEADGATE_STORE_URL"),
        new Case(MINIMAL + "ratio: much\n", "f.yaml:4:8", "ratio", "'much' is not a number"),
        new Case(MINIMAL + "ratio: 1\nratio: 2\n", "f.yaml:5:1", "ratio", "given twice"),
        new Case(MINIMAL + "http-port: 1.5\n", "f.yaml:4:12", "http-port", "not a whole number"),
        new Case(MINIMAL + "open: maybe\n", "f.yaml:4:7", "open", "neither true nor false"),
        new Case(MINIMAL + "limits: 5\n", "f.yaml:4:9", "limits", "keys of its own"),
        new Case(MINIMAL + "colour: [red]\n", "f.yaml:4:9", "colour", "single value"),
        new Case(MINIMAL + "tags: x\n", "f.yaml:4:7", "tags", "is a list"),
        new Case(MINIMAL + "weights: {a: b}\n", "f.yaml:4:14", "weights.a", "whole number"),
        new Case(MINIMAL + "limits: {memory: 3X}\n", "f.yaml:4:18", "limits.memory", "not a size"),
        new Case(
            MINIMAL + "shelves: [{name: a, capacity: 0}]\n",
            "f.yaml:4:11",
            "shelves[0]",
            "at least 1, not 0"),
        new Case("store: {url: 'a b'}\n", "f.yaml:1:14", "store.url", "not a URI"),
        new Case("store: [\n", "f.yaml:2:1", "", "is not YAML"),
        new Case("- a\n", "f.yaml", "", "keys and values"),
        new Case("a: &x [*x]\n", "f.yaml:1:1", "a", "not a known key"));
  }

  @Test
  void aBadVariableIsNamed() {
    ConfigException refused =
        catchThrowableOfType(
            ConfigException.class,
            () ->
                ConfigLoader.parse(
                    Config.class, "f.yaml", MINIMAL, Map.of("HEADGATE_OPEN", "perhaps")));
    assertThat(refused).hasMessageContaining("HEADGATE_OPEN: open: 'perhaps'");
  }

  private static Config parse(String yaml) {
    return ConfigLoader.parse(Config.class, "f.yaml", yaml, Map.of());
  }

  private static ConfigException refused(String yaml) {
    ConfigException refused = catchThrowableOfType(ConfigException.class, () -> parse(yaml));
    assertThat(refused).as("it is refused").isNotNull();
    return refused;
  }
}

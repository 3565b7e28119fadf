package io.headgate.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.lifecycle.Lifecycle;
import io.headgate.sdk.cli.frame.CliEnvironment;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.Pool;
import io.headgate.sdk.model.ConfigurationState;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `up -f FILE` on a data directory that has a configuration: the file passes the gate of `apply`.
class UpConfigurationIT {
  private static final String OTHER =
      """
      apiVersion: headgate/v1
      kind: Configuration
      groups: [{name: everyone}]
      pools: [{name: other, type: static}]
      profiles: [{name: tiny, gpus: 0, pools: [other]}]
      """;
  private static final UpNodes NODES = new UpNodes(false, "none");

  @TempDir private static Path directory;
  private static Lifecycle lifecycle;
  private static Installation headgate;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @BeforeAll
  static void startAnInstallation() throws Exception {
    lifecycle = new Lifecycle(Installation.stopBound());
    headgate =
        Installation.start(
            InstallationConfig.of(directory.resolve("data"), 0), lifecycle, new Silent());
  }

  @AfterAll
  static void stopIt() {
    lifecycle.close();
  }

  @Test
  void aNewTenantGetsTheFileWithoutAQuestion() throws Exception {
    assertThat(up("fresh", "", List.of(), false)).hasValueSatisfying(this::hasOnlyOther);
    assertThat(pools("fresh")).containsExactly("other");
  }

  @Test
  void withoutATerminalTheFileIsRefusedAndTheFlagsAreNamed() throws Exception {
    ConfigurationState before = starter("headless");

    assertThatThrownBy(() -> up("headless", "", List.of(), false))
        .isInstanceOfSatisfying(
            UsageException.class,
            refused -> {
              assertThat(refused).hasMessageContaining("there is no terminal to ask");
              assertThat(refused.next()).anyMatch(next -> next.contains("--yes --allow remove"));
            });

    assertThat(out.toString(StandardCharsets.UTF_8)).contains("- pool     local");
    assertThat(state("headless")).isEqualTo(before);
  }

  @Test
  void aYesThatDoesNotAllowARemovalIsRefused() throws Exception {
    ConfigurationState before = starter("bold");

    assertThatThrownBy(() -> up("bold", "", List.of(), true))
        .hasMessageContaining("the plan removes objects, which --yes does not allow");

    assertThat(state("bold")).isEqualTo(before);
  }

  @Test
  void theFlagsOfApplyPutTheFileInForce() throws Exception {
    var _ = starter("automated");

    assertThat(up("automated", "", List.of("remove"), true)).hasValueSatisfying(this::hasOnlyOther);
    assertThat(pools("automated")).containsExactly("other");
  }

  @Test
  void theUserAtTheTerminalMayRefuse() throws Exception {
    ConfigurationState before = starter("asked");

    assertThat(up("asked", "no\n", List.of(), false)).isEmpty();
    assertThat(state("asked")).isEqualTo(before);
  }

  @Test
  void theDemoReplacesNoOtherConfiguration() throws Exception {
    ConfigurationState before = starter("acme");
    UpFlags flags = new UpFlags();
    flags.demo = true;

    assertThatThrownBy(() ->
            new UpConfiguration(invocation("", false), flags, List.of())
                .putInForce(headgate, "acme", NODES))
        .hasMessageContaining("tenant acme has another configuration");
    assertThat(state("acme")).isEqualTo(before);
  }

  private Optional<Configuration> up(String tenant, String typed, List<String> allow, boolean yes)
      throws Exception {
    UpFlags flags = new UpFlags();
    flags.file = Files.writeString(directory.resolve(tenant + ".yaml"), OTHER);
    return new UpConfiguration(invocation(typed, yes), flags, allow)
        .putInForce(headgate, tenant, NODES);
  }

  private Invocation invocation(String typed, boolean yes) {
    boolean terminal = !typed.isEmpty();
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    GlobalOptions global = new GlobalOptions();
    global.yes = yes;
    return new Invocation(
        new CliEnvironment(
            Map.of("HOME", directory.toString(), "LANG", "en_US.UTF-8"),
            new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8)),
            stream,
            stream,
            terminal,
            terminal,
            terminal,
            () -> 80,
            Clock.systemUTC(),
            ZoneOffset.UTC),
        global);
  }

  /// A tenant with the configuration of a new installation.
  private static ConfigurationState starter(String tenant) throws Exception {
    headgate.ensureTenant(tenant);
    try (HeadgateClient operator = headgate.connectAsOperator()) {
      var _ =
          operator.configuration(tenant).apply(StarterConfiguration.forGpus(2).withTenant(tenant));
    }
    return state(tenant);
  }

  private static ConfigurationState state(String tenant) {
    try (HeadgateClient operator = headgate.connectAsOperator()) {
      return operator.configuration(tenant).read();
    }
  }

  private static List<String> pools(String tenant) {
    return state(tenant).configuration().pools().stream().map(Pool::name).toList();
  }

  private void hasOnlyOther(Configuration inForce) {
    assertThat(inForce.pools()).extracting(Pool::name).containsExactly("other");
  }

  private record Silent() implements Progress {
    @Override
    public void begin(String part) {}

    @Override
    public void ready(String part, String detail) {}
  }
}

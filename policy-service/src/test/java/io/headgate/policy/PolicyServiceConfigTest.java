package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.config.ConfigException;
import io.headgate.kit.config.ConfigLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PolicyServiceConfigTest {
  private static final String LEAST =
      """
      secrets-directory: /var/lib/headgate/policy
      pools: {server: "http://127.0.0.1:7400"}
      database:
        url: jdbc:postgresql://127.0.0.1:5432/headgate
        user: policy
        password: p
        schema: policy
      """;

  @Test
  void hasDefaultsForAllThatCanHaveOne() {
    PolicyServiceConfig config = parse(LEAST, Map.of());
    assertThat(config.defaultTenant()).isEmpty();
    assertThat(config.tokens().lifetime()).isEqualTo(Duration.ofMinutes(10));
    assertThat(config.tokens().rotation()).isEqualTo(Duration.ofDays(30));
    assertThat(config.watches().maxWatchers()).isEqualTo(1000);
  }

  @Test
  void readsEveryKey() {
    PolicyServiceConfig config =
        parse(
            LEAST
                + """
                default-tenant: acme
                tokens: {lifetime: 5m, rotation: 7d}
                watches: {heartbeat: 1s, patience: 2s, max-watchers: 3}
                """,
            Map.of("HEADGATE_SECRETS_DIRECTORY", "/run/secrets"));
    assertThat(config.defaultTenant()).contains("acme");
    assertThat(config.tokens())
        .isEqualTo(
            new PolicyServiceConfig.TokenConfig(
                Duration.ofMinutes(5), Duration.ofMinutes(5), Duration.ofDays(7)));
    assertThat(config.watches().heartbeat()).isEqualTo(Duration.ofSeconds(1));
    assertThat(config.secretsDirectory()).isEqualTo(Path.of("/run/secrets"));
  }

  record Case(String line, String key) {
    @Override
    public String toString() {
      return line;
    }
  }

  static List<Case> wrong() {
    return List.of(
        new Case("default-tenant: Acme Corp", "default-tenant"),
        new Case("tokens: {lifetime: 11m}", "lifetime"),
        new Case("tokens: {lifetime: 1s}", "lifetime"),
        new Case("tokens: {rotation: 1m}", "rotation"),
        new Case("token: {}", "token"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void refusesAWrongValueByItsKey(Case each) {
    assertThatThrownBy(() -> parse(LEAST + each.line() + "\n", Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(each.key());
  }

  private static PolicyServiceConfig parse(String yaml, Map<String, String> environment) {
    return ConfigLoader.parse(PolicyServiceConfig.class, "policy.yaml", yaml, environment);
  }
}

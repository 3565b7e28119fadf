package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.config.ConfigException;
import io.headgate.kit.config.ConfigLoader;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiServerConfigTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          port: 65536                      | port: 0 to 65535, not 65536
          max-streams: 0                   | max-streams: at least 1, not 0
          max-connections: 0               | max-connections: at least 1, not 0
          max-connections-per-address: 0   | max-connections-per-address: at least 1, not 0
          max-handlers: 0                  | max-handlers: at least 1, not 0
          max-calls: 0                     | max-calls: at least 1, not 0
          request-timeout: 0s              | request-timeout: above zero, not PT0S
          """)
  void namesTheKeyAndTheValueBeyondItsBound(String yaml, String refusal) {
    assertThatThrownBy(() -> ConfigLoader.parse(ApiServerConfig.class, "api.yaml", yaml, Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(refusal);
  }
}

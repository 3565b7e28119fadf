package io.headgate.scheduler;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.config.ConfigException;
import io.headgate.kit.config.ConfigLoader;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchedulerConfigTest {
  private static final String REQUIRED =
      """
      replica: one
      advertised-address: 127.0.0.1:7400
      database:
        url: jdbc:postgresql://127.0.0.1:1/headgate
        user: scheduler
        password: hunter2
        schema: scheduler
      secrets-directory: /var/lib/headgate/scheduler
      pools: {server: 'http://127.0.0.1:1'}
      policies: {server: 'http://127.0.0.1:1'}
      service-key: hg_svc_hunter3
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          bounds: {commands: 0}               | commands: at least 1, not 0
          bounds: {queued-jobs: 0}            | queued-jobs: at least 1, not 0
          bounds: {batch-jobs: -1}            | batch-jobs: at least 1, not -1
          bounds: {waiting: {per-queue: 0}}   | per-queue: at least 1, not 0
          bounds: {waiting: {total: 0}}       | total: at least 1, not 0
          bounds: {submit-calls: 0}           | submit-calls: at least 1, not 0
          bounds: {batch-calls: 0}            | batch-calls: at least 1, not 0
          leading: {heartbeat: 0s}            | heartbeat: above zero, not PT0S
          leading: {suspect-after: 3s}        | suspect-after: at least two heartbeats (PT4S), not PT3S
          leading: {stop-margin: 9s}          | stop-margin: at least the lease (PT10S), not PT9S
          """)
  void namesTheKeyAndTheValueBeyondItsBound(String section, String refusal) {
    assertThatThrownBy(() ->
            ConfigLoader.parse(
                SchedulerConfig.class, "scheduler.yaml", REQUIRED + section, Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(refusal);
  }
}

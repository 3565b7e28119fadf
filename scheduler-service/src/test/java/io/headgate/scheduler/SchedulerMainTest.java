package io.headgate.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.process.ServiceProcess;
import io.headgate.kit.testing.JavaProcess;
import io.headgate.kit.testing.JavaProcess.Ended;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SchedulerMainTest {
  private static final Map<String, String> NOWHERE =
      Map.ofEntries(
          Map.entry("HEADGATE_SCHEDULER_DATABASE_URL", "jdbc:postgresql://127.0.0.1:1/headgate"),
          Map.entry("HEADGATE_SCHEDULER_DATABASE_USER", "scheduler"),
          Map.entry("HEADGATE_SCHEDULER_DATABASE_PASSWORD", "hunter2"),
          Map.entry("HEADGATE_SCHEDULER_DATABASE_SCHEMA", "scheduler"),
          Map.entry("HEADGATE_SCHEDULER_DATABASE_CONNECT_TIMEOUT", "1s"),
          Map.entry("HEADGATE_SCHEDULER_SECRETS_DIRECTORY", "secrets"),
          Map.entry("HEADGATE_SCHEDULER_REPLICA", "one"),
          Map.entry("HEADGATE_SCHEDULER_ADVERTISED_ADDRESS", "127.0.0.1:7400"),
          Map.entry("HEADGATE_SCHEDULER_POOLS_SERVER", "http://127.0.0.1:1"),
          Map.entry("HEADGATE_SCHEDULER_POLICIES_SERVER", "http://127.0.0.1:1"),
          Map.entry("HEADGATE_SCHEDULER_SERVICE_KEY", "hg_svc_hunter3"));

  @Test
  void explainsItself() {
    Ended ended = run(List.of("--help"), Map.of());
    assertThat(ended.status()).isZero();
    assertThat(ended.said()).startsWith("usage: scheduler-service [CONFIG_FILE]");
    assertThat(run(List.of("--serve"), NOWHERE).status()).isEqualTo(ServiceProcess.EXIT_USAGE);
  }

  @Test
  void namesTheSecretThatIsMissing() {
    Map<String, String> environment = new HashMap<>(NOWHERE);
    environment.remove("HEADGATE_SCHEDULER_SERVICE_KEY");
    Ended ended = run(List.of(), environment);
    assertThat(ended.status()).isEqualTo(ServiceProcess.EXIT_USAGE);
    assertThat(ended.said()).contains("scheduler.service-key").doesNotContain("\tat ");
  }

  @Test
  void namesAnUnknownPlacementPolicy() {
    Map<String, String> environment = new HashMap<>(NOWHERE);
    environment.put("HEADGATE_SCHEDULER_PLACEMENT", "roomiest");
    Ended ended = run(List.of(), environment);
    assertThat(ended.status()).isEqualTo(ServiceProcess.EXIT_USAGE);
    assertThat(ended.said())
        .contains("placement: one of fgd, rfp, tightest-fit, not 'roomiest'")
        .doesNotContain("\tat ");
    environment.put("HEADGATE_SCHEDULER_PLACEMENT", "rfp");
    assertThat(run(List.of(), environment).said()).contains("cannot connect to");
  }

  @Test
  void saysInOneSentenceThatTheDatabaseCannotBeReached() {
    Ended ended = run(List.of(), NOWHERE);
    assertThat(ended.status()).isEqualTo(ServiceProcess.EXIT_FAILED);
    assertThat(ended.said())
        .contains("cannot connect to jdbc:postgresql://127.0.0.1:1/headgate as scheduler")
        .doesNotContain("\tat ")
        .doesNotContain("hunter");
  }

  private static Ended run(List<String> arguments, Map<String, String> environment) {
    return JavaProcess.run(SchedulerMain.class, arguments, environment);
  }
}

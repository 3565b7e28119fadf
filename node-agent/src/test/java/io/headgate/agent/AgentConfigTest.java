package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.kit.config.ConfigException;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentConfigTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CPUS                        | 0        | cpus: at least 1, not 0",
        "LOGS_FILE_SIZE              | 1KiB     | logs: files of at least 4KiB",
        "LOGS_FILES                  | 1        | logs: files of at least 4KiB, 2 to 1000 of them",
        "KEEP_ATTEMPTS               | -1       | keep: attempts and time are not negative",
        "GPU_NVML_TIMEOUT            | 1ms      | nvml: a library, and a timeout of at least 100ms",
        "GPU_NVML_CHECKPOINT         | program  | nvml: an absolute checkpoint, not program",
        "GPU_NVML_CHECKPOINT_TIMEOUT | 1ms      | a checkpoint-timeout of at least 100ms",
        "GPU_ROCM_TIMEOUT            | 1ms      | rocm: a library, and a timeout of at least 100ms",
        "GPU_WATCHDOG_INTERVAL       | 1ms      | watchdog: an interval of at least 10ms",
        "GPU_HEALTH_INTERVAL         | 1ms      | health: an interval of at least 100ms",
        "WALLS_FIRST_USER            | 999      | walls: first-user of at least 1000",
        "WALLS_USER_COUNT            | 0        | and user-count of at least 1",
        "WALLS_LIMITS_PROCESSES      | 15       | limits: at least 16 processes",
        "WALLS_LIMITS_FILES          | 63       | 64 files",
        "WALLS_LIMITS_CPUS           | 0        | 1 of the cpus",
        "CONTAINERS_PULL_TIMEOUT     | 1ms      | containers.pull-timeout: at least 1s",
        "GPU_WATCHDOG_GRACE          | -1s      | agent.gpu.watchdog.grace: '-1s' is not a duration"
      })
  void refuses(String key, String value, String problem) {
    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() ->
            AgentMain.configuration(
                new String[] {"--data=/d"}, Map.of("HEADGATE_AGENT_" + key, value)))
        .withMessageContaining(problem);
  }
}

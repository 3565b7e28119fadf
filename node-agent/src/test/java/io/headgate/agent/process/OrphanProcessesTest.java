package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.JobEnvironment;
import io.headgate.agent.core.JobName;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Processes of a job whose supervisor was killed are found by their environment alone.
class OrphanProcessesTest {
  private static final JobName NAME =
      JobName.parse("tenants/acme/jobs/remains-" + ProcessHandle.current().pid());

  private static Process leave(String... more) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("sleep", "1000");
    builder.environment().put("HEADGATE_JOB", NAME.toString());
    builder.environment().put("HEADGATE_ATTEMPT", "1");
    builder.environment().put("HEADGATE_WORKER", "0");
    if (more.length > 0) {
      builder.environment().put("HEADGATE_JOB_UID", more[0]);
    }
    return builder.start();
  }

  @Test
  void areNotThoseOfTheNextJobWithItsName() throws Exception {
    AttemptKey key = new AttemptKey(NAME, "first", 1, 0);
    Process first = leave("first");
    Process ofOlderAgent = leave();
    Process second = leave("second");
    try {
      OrphanProcesses remains =
          new OrphanProcesses(Optional.empty(), entries -> JobEnvironment.isOf(key, entries));
      assertThat(remains.kill()).isTrue();
      first.waitFor();
      ofOlderAgent.waitFor();
      assertThat(remains.kill()).isFalse();
      assertThat(second.isAlive()).isTrue();
    } finally {
      second.destroyForcibly().waitFor();
    }
  }
}

package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How long a job takes from its submission to its running process on an idle system. Printed, not
/// asserted: a time on a shared machine proves nothing.
class IdleLatencyIT {
  private static final Logger LOG = LoggerFactory.getLogger(IdleLatencyIT.class);
  private static final int JOBS = 20;

  @Test
  void aJobOnAnIdleSystemRunsAtOnce(@TempDir Path directory) throws Exception {
    try (TestInstallation headgate =
        TestInstallation.start(directory)
            .withConfiguration(
                """
                groups: [{name: team, users: [ada]}]
                pools: [{name: local, type: static}]
                profiles: [{name: one, gpus: 1, pools: [local]}]
                policies:
                  - name: team
                    group: team
                    reservation: 1
                    limit: 1
                    queues: [{name: one, profile: one}]
                """)
            .withNode("a-0", "local", "1xA100")) {
      JobClient ada = headgate.jobsOf("ada");
      List<Duration> times = new ArrayList<>();
      for (int i = 0; i < JOBS; i++) {
        Job submitted = ada.submit(JobSpec.of("one", List.of("true")));
        Job done = headgate.awaitState(submitted.id(), JobState.DONE);
        Instant started = Objects.requireNonNull(done.startTime());
        times.add(Duration.between(Objects.requireNonNull(done.createTime()), started));
      }
      Collections.sort(times);
      LOG.info(
          "submission to running process on an idle system: median of {} {} ms, worst {} ms",
          JOBS,
          times.get(JOBS / 2).toMillis(),
          times.getLast().toMillis());
      assertThat(times).hasSize(JOBS);
    }
  }
}

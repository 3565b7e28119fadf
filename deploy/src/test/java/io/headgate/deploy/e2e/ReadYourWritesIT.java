package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.Usage;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What was applied can be used with the next call, through all real services.
class ReadYourWritesIT {
  private static final int ROUNDS = 10;

  private static String configuration(int queues) {
    StringBuilder text =
        new StringBuilder(
            """
            groups:
              - {name: rnd, users: [alice]}
            pools:
              - {name: onprem, type: static}
            profiles:
              - {name: one, gpus: 1, pools: [onprem]}
            """);
    text.append("policies:\n");
    for (int i = 0; i < queues; i++) {
      text.append("  - name: p").append(i).append("\n    group: rnd\n    limit: 1\n");
      text.append("    queues: [{name: q").append(i).append(", profile: one, rank: 1}]\n");
    }
    return text.toString();
  }

  @Test
  void whatWasAppliedIsThereForTheNextCall(@TempDir Path directory) throws Exception {
    try (TestInstallation headgate = TestInstallation.start(directory)) {
      for (int i = 1; i <= ROUNDS; i++) {
        String newest = "q" + (i - 1);
        headgate.withConfiguration(configuration(i));
        Job job = headgate.jobs().submit(TestInstallation.endless("j" + i, newest));
        assertThat(job.id()).isEqualTo("j" + i);
        assertThat(headgate.operator().catalog(TestInstallation.TENANT).queueUsages())
            .extracting(Usage.OfQueue::id)
            .contains(newest);
      }
    }
  }
}

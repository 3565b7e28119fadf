package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.InstallationConfig;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Jobs run while the receiver of telemetry, and of their output, takes nothing.
class BadReceiverIT {
  private static final int JOBS = 20;

  @Test
  void jobsRunWhileTheReceiverHangs(@TempDir Path directory) throws Exception {
    // Connections are accepted by the kernel, and nothing ever reads them.
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        TestInstallation headgate =
            TestInstallation.start(
                    InstallationConfig.of(directory, 0)
                        .withTelemetry(to(URI.create("http://127.0.0.1:" + silent.getLocalPort())))
                        .withExportedOutput(true))
                .withConfiguration(
                    """
                    groups:
                      - {name: lab, users: [ada]}
                    pools:
                      - {name: gpus, type: static}
                    profiles:
                      - {name: one, gpus: 1, pools: [gpus]}
                    policies:
                      - name: lab
                        group: lab
                        limit: 2
                        queues: [{name: lab-1, profile: one}]
                    """)
                .withNode("a-0", "gpus", "2xA100")) {
      for (int i = 0; i < JOBS; i++) {
        headgate
            .jobs()
            .submit(new Submission(JobSpec.of("lab-1", List.of("echo", "done")), "j-" + i, null));
      }
      for (int i = 0; i < JOBS; i++) {
        assertThat(headgate.await("j-" + i, "final", job -> job.state().isFinal()).state())
            .isEqualTo(JobState.DONE);
      }
    }
  }

  private static TelemetryConfig to(URI receiver) {
    TelemetryConfig defaults = TelemetryConfig.DEFAULTS;
    return new TelemetryConfig(
        Optional.of(receiver),
        defaults.metricsHost(),
        Optional.empty(),
        TelemetryConfig.MetricsAccess.OPEN,
        Optional.empty(),
        1.0,
        Duration.ofMillis(200),
        defaults.logLevel(),
        TelemetryConfig.LogFormat.TEXT);
  }
}

package io.headgate.deploy.grafana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.sdk.cli.output.UsageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The files that `headgate up --observe DIR` writes.
class ObservationTest {
  private static final List<URI> ADDRESSES =
      List.of(
          URI.create("http://127.0.0.1:7401/metrics"), URI.create("http://127.0.0.1:7411/metrics"));

  @TempDir private Path directory;
  private Path token;
  private Path files;
  private Observation observation;

  @BeforeEach
  void makeToken() throws IOException {
    token = Files.writeString(directory.resolve("metrics.token"), "secret");
    files = directory.resolve("observed/here");
    observation = new Observation(files);
  }

  @Test
  void prometheusAcceptsThem() throws Exception {
    observation.check();
    observation.write(ADDRESSES, token);
    Promtool.succeeds(directory, "check", "config", files.resolve("prometheus.yml").toString());
  }

  @Test
  void theyNameEveryAddressAndTheToken() throws IOException {
    observation.check();
    observation.write(ADDRESSES, token);
    assertThat(files.resolve("prometheus.yml"))
        .content()
        .contains("- 127.0.0.1:7401\n", "- 127.0.0.1:7411\n", "credentials_file: " + token)
        .contains("- alerts/headgate.rules.yaml")
        .doesNotContain("secret");
    assertThat(files.resolve("provisioning/dashboards/headgate.yaml"))
        .content()
        .contains("path: " + files.resolve("dashboards"));
    assertThat(files.resolve("provisioning/alerting"))
        .as("Prometheus has the alerts")
        .doesNotExist();
    assertThat(files.resolve("provisioning/datasources/headgate.yaml")).exists();
    try (Stream<Path> dashboards = Files.list(files.resolve("dashboards"))) {
      assertThat(dashboards).hasSize(10);
    }
    assertThat(observation.command()).contains(files.resolve("prometheus.yml").toString());
  }

  @Test
  void othersFilesStayAndItsOwnAreReplaced() throws IOException {
    Files.createDirectories(files.resolve("dashboards"));
    Path other = Files.writeString(files.resolve("dashboards/mine.json"), "{}");
    observation.check();
    observation.write(ADDRESSES, token);
    observation.check();
    observation.write(ADDRESSES.subList(0, 1), token);
    assertThat(other).hasContent("{}");
    assertThat(files.resolve("prometheus.yml")).content().doesNotContain("7411");
    try (Stream<Path> all = Files.walk(files)) {
      assertThat(all.filter(path -> path.toString().endsWith(".tmp"))).isEmpty();
    }
  }

  @Test
  void aForeignFileIsNotReplaced() throws IOException {
    Files.createDirectories(files);
    Path foreign = Files.writeString(files.resolve("prometheus.yml"), "global: {}\n");
    assertThatThrownBy(observation::check)
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(foreign.toString());
    assertThat(foreign).hasContent("global: {}");
  }

  @Test
  void whatCannotBeWrittenIsRefusedWithItsCauseAndARemedy() throws IOException {
    assertThatThrownBy(new Observation(Path.of("/proc/x"))::check)
        .isInstanceOf(UsageException.class)
        .hasMessage(
            "--observe cannot write to \"/proc/x\": the directory does not exist and cannot be created there")
        .extracting(error -> ((UsageException) error).next().getFirst())
        .asString()
        .startsWith("name a directory that you may write to");
    Files.createDirectories(files);
    Path inTheWay = Files.writeString(files.resolve("dashboards"), "");
    assertThatThrownBy(observation::check)
        .as("also a directory below it")
        .isInstanceOf(UsageException.class)
        .hasMessage(
            "--observe cannot write to \"%s\": \"%s\" is not a directory", inTheWay, inTheWay);
  }

  @Test
  void causesAreWords() {
    assertThat(Observation.cause(new AccessDeniedException("/x"))).isEqualTo("permission denied");
    assertThat(Observation.cause(new FileSystemException("/x", null, "No space left on device")))
        .isEqualTo("no space left on device");
    assertThat(Observation.cause(new IOException("Stream closed"))).isEqualTo("stream closed");
  }

  @Test
  void aFileIsNoDirectory() {
    assertThatThrownBy(new Observation(token)::check)
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("is not a directory for --observe");
  }
}

package io.headgate.deploy.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Keeps deploy/grafana equal to the descriptions in code.
class GrafanaFilesTest {
  private static final Path ROOT = Path.of("grafana");
  private static final String RENEWAL =
      "mvn test -pl deploy -am -Dtest=GrafanaFilesTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false -Dheadgate.docs.write=true";

  @Test
  void everyFileIsWhatTheCodeMakes() throws IOException {
    Map<String, String> wanted = new TreeMap<>(GrafanaFiles.all());
    wanted.putAll(GrafanaFiles.provisioning());
    if (Boolean.getBoolean("headgate.docs.write")) {
      for (Map.Entry<String, String> file : wanted.entrySet()) {
        Path path = ROOT.resolve(file.getKey());
        Files.createDirectories(path.getParent());
        Files.writeString(path, file.getValue());
      }
    }
    for (Map.Entry<String, String> file : wanted.entrySet()) {
      assertThat(ROOT.resolve(file.getKey()))
          .content()
          .as("renew it: " + RENEWAL)
          .isEqualTo(file.getValue());
    }
  }

  @Test
  void noDashboardIsLeftOver() throws IOException {
    Set<String> found = new TreeSet<>();
    try (Stream<Path> files = Files.list(ROOT.resolve("dashboards"))) {
      files.forEach(file -> found.add("dashboards/" + file.getFileName()));
    }
    assertThat(found)
        .isEqualTo(
            new TreeSet<>(
                GrafanaFiles.all().keySet().stream()
                    .filter(path -> path.startsWith("dashboards/"))
                    .toList()));
  }
}

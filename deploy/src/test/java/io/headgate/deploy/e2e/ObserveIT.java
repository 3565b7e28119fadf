package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.grafana.Promtool;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// `headgate up --observe DIR`: Prometheus reaches every process with the files in it.
@Execution(ExecutionMode.CONCURRENT)
class ObserveIT {
  private static final Pattern ADDRESS = Pattern.compile("http://(\\S+)/metrics");
  private static final Pattern TOKEN = Pattern.compile("credentials_file: (\\S+)");

  @TempDir private Path directory;

  @Test
  void writesTheAddressesOfAllProcessesAndTheirToken() throws Exception {
    Path files = directory.resolve("observed");
    UpProcess up =
        UpProcess.start(
            UpProcess.command(
                directory.resolve("contexts"),
                List.of(),
                "up",
                "--data",
                directory.resolve("data").toString(),
                "--nodes",
                "none",
                "--schedulers",
                "2",
                "--observe",
                files.toString()));
    try {
      List<String> addresses =
          ADDRESS.matcher(up.screen()).results().map(found -> found.group(1)).toList();
      assertThat(addresses).as("this process and two schedulers").hasSize(3);
      Path settings = files.resolve("prometheus.yml");
      for (String address : addresses) {
        assertThat(settings).content().contains("- " + address + "\n");
        assertThat(scrape(address, settings)).contains("jvm_memory_used_bytes");
      }
      assertThat(up.screen())
          .contains("prometheus --config.file=" + settings, "--web.listen-address=127.0.0.1:9090");
      Promtool.succeeds(directory, "check", "config", settings.toString());
    } finally {
      up.stop();
    }
  }

  private static String scrape(String address, Path settings)
      throws IOException, InterruptedException {
    String token =
        TOKEN
            .matcher(Files.readString(settings))
            .results()
            .map(found -> found.group(1))
            .findFirst()
            .orElseThrow();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + address + "/metrics"))
            .header("Authorization", "Bearer " + Files.readString(Path.of(token)).strip())
            .build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request, BodyHandlers.ofString()).body();
    }
  }
}

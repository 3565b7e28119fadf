package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The examples of docs/reference/http-streams.md, as they stand there, with curl.
class HttpStreamsIT {
  private static final Path PAGE = Path.of("../docs/reference/http-streams.md");

  @TempDir private Path directory;

  @Test
  void theExamplesOfThePageWork() throws Exception {
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
                    limit: 2
                    queues: [{name: one, profile: one}]
                """)
            .withNode("sim-0", "local", "2xH100")) {
      headgate
          .jobs()
          .submit(new Submission(JobSpec.of("one", List.of("echo", "hello")), "hello-1", null));
      headgate.awaitState("hello-1", JobState.DONE);

      List<String> lines = run(headgate, example());

      assertThat(lines).as(String.join("\n", lines)).hasSize(3);
      ObjectMapper json = new ObjectMapper();
      JsonNode output = json.readTree(lines.getFirst());
      assertThat(output.path("stream").asText()).isEqualTo("STREAM_STDOUT");
      assertThat(Base64.getDecoder().decode(output.path("data").asText()))
          .asString(StandardCharsets.UTF_8)
          .isEqualTo("hello\n");
      JsonNode watched = json.readTree(lines.get(1));
      assertThat(watched.path("snapshot").asBoolean()).isTrue();
      assertThat(watched.path("jobs").findValuesAsText("name"))
          .contains("tenants/acme/jobs/hello-1");
      assertThat(json.readTree(lines.getLast()).has("version")).isTrue();
    }
  }

  private static String example() throws Exception {
    String page = Files.readString(PAGE);
    int begin = page.indexOf("```sh\n") + "```sh\n".length();
    return page.substring(begin, page.indexOf("```\n", begin));
  }

  private static List<String> run(TestInstallation headgate, String script) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", script).redirectError(Redirect.INHERIT);
    builder
        .environment()
        .putAll(
            Map.of(
                "HEADGATE_SERVER", headgate.installation().uri().toString(),
                "HEADGATE_KEY", headgate.installation().adminKey().reveal(),
                "HEADGATE_TENANT", TestInstallation.TENANT));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return output.lines().toList();
  }
}

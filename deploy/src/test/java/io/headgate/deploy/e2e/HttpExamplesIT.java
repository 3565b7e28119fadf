package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.api.AnnotationsProto;
import com.google.api.HttpRule;
import io.grpc.ServiceDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.headgate.proto.policy.v1.PolicyServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.pool.v1.NodeServiceGrpc;
import io.headgate.proto.pool.v1.PoolServiceGrpc;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.UsageServiceGrpc;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The examples of `docs/reference/http.md`, run by a shell with curl as they stand there.
class HttpExamplesIT {
  private static final Pattern EXAMPLE = Pattern.compile("(?s)```sh\n(.*?)```");
  private static final List<ServiceDescriptor> SERVICES =
      List.of(
          JobServiceGrpc.getServiceDescriptor(),
          UsageServiceGrpc.getServiceDescriptor(),
          NodeServiceGrpc.getServiceDescriptor(),
          PoolServiceGrpc.getServiceDescriptor(),
          PolicyServiceGrpc.getServiceDescriptor(),
          UserServiceGrpc.getServiceDescriptor(),
          TokenServiceGrpc.getServiceDescriptor());

  @TempDir private Path directory;

  @Test
  void everyExampleOfThePageRunsAndTheDescriptionIsComplete() throws Exception {
    String script =
        EXAMPLE
            .matcher(Files.readString(Path.of("../docs/reference/http.md")))
            .results()
            .map(MatchResult::group)
            .map(block -> block.replace("```sh\n", "").replace("```", ""))
            .collect(Collectors.joining());
    assertThat(script).contains("tokens:exchange", "openapi.json");
    try (TestInstallation headgate =
        TestInstallation.start(directory.resolve("data"))
            .withConfiguration(
                """
                groups: [{name: team, users: [ada]}]
                pools: [{name: local, type: static}]
                profiles: [{name: cpu, gpus: 0, pools: [local]}]
                policies:
                  - {name: team, group: team, limit: 1, queues: [{name: cpu, profile: cpu}]}
                """)
            .withNode("n1", "local", "1xH100")) {
      ProcessBuilder shell =
          new ProcessBuilder("bash", "-eu", "-c", script)
              .directory(directory.toFile())
              .redirectErrorStream(true);
      shell.environment().put("HEADGATE_SERVER", headgate.installation().uri().toString());
      shell.environment().put("HEADGATE_KEY", headgate.installation().adminKey().reveal());
      shell.environment().put("HEADGATE_TENANT", TestInstallation.TENANT);
      Process process = shell.start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(said).isZero();
      assertThat(said).contains("\"name\":\"tenants/acme/jobs/hello\"", "\"verdict\"");
      streamed(said);
    }
    describesEveryPath(new ObjectMapper().readTree(directory.resolve("openapi.json").toFile()));
  }

  /// The shell has ended, so each stream had the line that its reader waited for.
  private static void streamed(String said) throws Exception {
    assertThat(said).contains("\"STATE_DONE\"");
    String output =
        said.lines().filter(line -> line.contains("STREAM_STDOUT")).findFirst().orElse("{}");
    assertThat(
            Base64.getDecoder().decode(new ObjectMapper().readTree(output).path("data").asText()))
        .asString(StandardCharsets.UTF_8)
        .isEqualTo("hello\n");
    assertThat(said.lines()).anyMatch(line -> line.startsWith("{\"version\":"));
  }

  private static void describesEveryPath(JsonNode api) {
    Map<String, JsonNode> operations = new TreeMap<>();
    api.path("paths")
        .forEach(
            path -> path.forEach(verb -> operations.put(verb.path("operationId").asText(), verb)));
    for (ServiceDescriptor service : SERVICES) {
      service
          .getMethods()
          .forEach(method -> {
            var schema = (ProtoMethodDescriptorSupplier) method.getSchemaDescriptor();
            HttpRule rule =
                schema.getMethodDescriptor().getOptions().getExtension(AnnotationsProto.http);
            if (rule.getPatternCase() == HttpRule.PatternCase.PATTERN_NOT_SET) {
              return;
            }
            String id = schema.getMethodDescriptor().getFullName();
            JsonNode operation = operations.get(id);
            assertThat(operation).as(id).isNotNull();
            String type = method.getType().serverSendsOneMessage() ? "json" : "x-ndjson";
            assertThat(operation.at("/responses/200/content/application~1" + type + "/schema"))
                .as(id)
                .isNotEmpty();
            assertThat(operation.has("requestBody")).as(id).isEqualTo(!rule.getBody().isEmpty());
          });
    }
    assertThat(api.findValuesAsText("$ref"))
        .isNotEmpty()
        .allSatisfy(reference -> assertThat(api.at(reference.substring(1)).isObject()).isTrue());
  }
}

package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestTokens;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Streams as JSON lines over HTTP, with the rights and refusals that they have over gRPC.
@Timeout(120)
class JsonStreamsTest {
  private final Shelf shelf = new Shelf();
  private final TestTokens tokens = TestTokens.create();
  private ApiServer server;

  private static final String WATCH = "/v1/tenants/acme/books:watch";
  private static final ObjectMapper JSON = new ObjectMapper();

  @BeforeEach
  void start() {
    server =
        ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), Telemetry.disabled())
            .authentication(tokens.verifier())
            .service(shelf)
            .build();
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP_1_1", "HTTP_2"})
  void eachMessageIsALineAndTheCallEndsWhenTheClientLeaves(HttpClient.Version version)
      throws Exception {
    try (HttpClient client = HttpClient.newBuilder().version(version).build()) {
      HttpResponse<InputStream> answer =
          client.send(request(WATCH, member()), BodyHandlers.ofInputStream());

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("content-type")).hasValue("application/x-ndjson");
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
      assertThat(JSON.readTree(lines.readLine()).path("id").asText()).isEqualTo("first");
      assertThat(server.callsInProgress()).isEqualTo(1);
      lines.close();
      client.shutdownNow();

      assertThat(shelf.watchEnded.await(60, TimeUnit.SECONDS)).isTrue();
      await().untilAsserted(() -> assertThat(server.callsInProgress()).isZero());
    }
  }

  @Test
  void aStrangerIsRefused() throws Exception {
    HttpResponse<String> answer = get(WATCH, "");

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(reason(answer)).isEqualTo("TOKEN_MISSING");
  }

  @Test
  void anotherRoleIsRefused() throws Exception {
    assertThat(get(WATCH, tokens.node("acme", "n1")).statusCode()).isEqualTo(403);
  }

  @Test
  void anUnknownParameterIsNamed() throws Exception {
    HttpResponse<String> answer = get(WATCH + "?colour=red", member());

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("colour", "fields: parent");
  }

  private HttpResponse<String> get(String path, String token) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request(path, token), BodyHandlers.ofString());
    }
  }

  private HttpRequest request(String path, String token) {
    HttpRequest.Builder request = HttpRequest.newBuilder(server.uri().resolve(path));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return request.build();
  }

  private String member() {
    return tokens.member("acme", "ada");
  }

  private static String reason(HttpResponse<String> answer) throws Exception {
    JsonNode details = JSON.readTree(answer.body()).path("details");
    return details.findPath("reason").asText();
  }
}

package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.grpc.Channel;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.grpc.ApiServerConfig.Discovery;
import io.headgate.kit.testing.ApiServerExtension;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Nothing but the anonymous methods answers a caller without a token, and no body is parsed for
/// it.
class SignedInTest {
  @RegisterExtension
  static final ApiServerExtension SERVER = new ApiServerExtension(api -> api.service(new Shelf()));

  @RegisterExtension
  static final ApiServerExtension OPEN =
      new ApiServerExtension(config(Discovery.OPEN), api -> api.service(new Shelf()));

  @RegisterExtension
  static final ApiServerExtension CLOSED =
      new ApiServerExtension(config(Discovery.OFF), api -> api.service(new Shelf()));

  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void documentationIsForSignedInCallers() throws Exception {
    assertThat(get(SERVER, "/docs/", "").statusCode()).isEqualTo(401);
    assertThat(get(SERVER, "/docs/", "nonsense").statusCode()).isEqualTo(401);
    assertThat(get(SERVER, "/docs/specification.json", "").body())
        .contains("TOKEN_MISSING")
        .doesNotContain("PutBook");
    HttpRequest.Builder asIfGrpc =
        HttpRequest.newBuilder(SERVER.uri().resolve("/docs/specification.json"))
            .header("content-type", "application/grpc");
    // Refused in the words of gRPC, whose HTTP status is always 200.
    HttpResponse<String> refused = send(asIfGrpc, "");
    assertThat(refused.headers().firstValue("grpc-status")).contains("16");
    assertThat(refused.body()).doesNotContain("PutBook");
    assertThat(get(SERVER, "/docs/", member()).statusCode()).isEqualTo(200);
    assertThat(get(SERVER, "/docs/specification.json", member()).body()).contains("PutBook");
    assertThat(get(OPEN, "/docs/", "").statusCode()).isEqualTo(200);
    assertThat(get(CLOSED, "/docs/", CLOSED.tokens().operator()).statusCode()).isEqualTo(404);
  }

  @Test
  void theFrontPageGreetsEverybodyInTheFormThatTheyRead() throws Exception {
    HttpResponse<String> json = get(SERVER, "/", "");
    assertThat(json.statusCode()).isEqualTo(200);
    assertThat(new ObjectMapper().readTree(json.body()).path("openapi").asText())
        .isEqualTo("/openapi.json");
    HttpRequest.Builder browser =
        HttpRequest.newBuilder(SERVER.uri().resolve("/"))
            .header("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    assertThat(send(browser, "").body()).contains("<a href=\"/docs/\">");
  }

  @Test
  void pagesLoadNothingFromOtherServers() throws Exception {
    for (String page : List.of("/", "/docs/", "/openapi.json")) {
      assertThat(get(OPEN, page, "").headers().firstValue("content-security-policy").orElse(""))
          .as(page)
          .startsWith("default-src 'self';")
          .doesNotContain("http", "*", "unsafe-eval");
    }
    assertThat(get(OPEN, "/docs/", "").body()).as("nor name any").doesNotContain("https://");
  }

  @Test
  void openApiIsForSignedInCallers() throws Exception {
    assertThat(get(SERVER, "/openapi.json", "").statusCode()).isEqualTo(401);
    assertThat(get(CLOSED, "/openapi.json", CLOSED.tokens().operator()).statusCode())
        .isEqualTo(404);
    JsonNode api = new ObjectMapper().readTree(get(SERVER, "/openapi.json", member()).body());
    assertThat(api.path("openapi").asText()).isEqualTo("3.1.0");
    JsonNode put = api.path("paths").path("/v1/tenants/{tenant}/books").path("post");
    assertThat(put.findValuesAsText("$ref"))
        .allMatch(it -> api.at(it.substring(1)).isObject())
        .anyMatch(it -> it.endsWith("PutBookRequest"));
  }

  @Test
  void reflectionIsForSignedInCallers() {
    Throwable refused = reflection(SERVER.anonymous());
    assertThat(GrpcFailures.refusal(refused).orElseThrow().reason()).isEqualTo("TOKEN_MISSING");
    assertThat(reflection(SERVER.channel(member()))).isNull();
    assertThat(reflection(OPEN.anonymous())).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nonsense"})
  void aBodyIsNotParsedBeforeTheTokenIsChecked(String token) throws Exception {
    String deep = "{\"book\": ".repeat(2000);
    HttpResponse<String> answer = post("/v1/tenants/acme/books", token, deep);
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains(token.isEmpty() ? "TOKEN_MISSING" : "TOKEN_INVALID");
    // With a good token the same body is found to be malformed.
    HttpResponse<String> parsed = post("/v1/tenants/acme/books", member(), deep);
    assertThat(parsed.statusCode()).isEqualTo(400);
    assertThat(parsed.body()).contains("MALFORMED_REQUEST");
  }

  @Test
  void anonymousMethodsNeedNoTokenAndIgnoreABadOne() throws Exception {
    assertThat(get(SERVER, "/v1/greetings/ada", "").body()).contains("hello ada");
    assertThat(get(SERVER, "/v1/greetings/ada", "nonsense").body()).contains("hello ada");
  }

  @Test
  void pathsOfTheContractAreMatchedWhole() {
    assertThat("/v1/tokens:exchange").matches(JsonPath.pattern("/v1/tokens:exchange"));
    assertThat("/v1/greetings/ada").matches(JsonPath.pattern("/v1/greetings/{name}"));
    assertThat("/v1/greetings/ada/x").doesNotMatch(JsonPath.pattern("/v1/greetings/{name}"));
    assertThat("/v1/tenants/a/jobs/b:cancel")
        .matches(JsonPath.pattern("/v1/{name=tenants/*/jobs/*}:cancel"));
    assertThat("/v1/tenants/a/b/jobs/c")
        .doesNotMatch(JsonPath.pattern("/v1/{name=tenants/*/jobs/*}"));
  }

  private static Throwable reflection(Channel caller) {
    return catchThrowable(() -> {
      var call =
          ServerReflectionGrpc.newBlockingV2Stub(caller)
              .withDeadlineAfter(60, TimeUnit.SECONDS)
              .serverReflectionInfo();
      call.write(ServerReflectionRequest.newBuilder().setListServices("").build());
      call.halfClose();
      assertThat(call.read().getListServicesResponse().getServiceList())
          .anySatisfy(service -> assertThat(service.getName()).endsWith("ShelfService"));
    });
  }

  private static String member() {
    return SERVER.tokens().member("acme", "ada");
  }

  private HttpResponse<String> get(ApiServerExtension server, String path, String token)
      throws Exception {
    return send(HttpRequest.newBuilder(server.uri().resolve(path)), token);
  }

  private HttpResponse<String> post(String path, String token, String body) throws Exception {
    URI uri = SERVER.uri().resolve(path);
    return send(
        HttpRequest.newBuilder(uri)
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString(body)),
        token);
  }

  private HttpResponse<String> send(HttpRequest.Builder request, String token) throws Exception {
    if (!token.isEmpty()) {
      request.header("authorization", "Bearer " + token);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private static ApiServerConfig config(Discovery discovery) {
    ApiServerConfig usual = ApiServerConfig.of("127.0.0.1", 0);
    return new ApiServerConfig(
        usual.host(),
        usual.port(),
        Optional.empty(),
        discovery,
        ByteSize.ofMebibytes(1),
        usual.maxStreams(),
        usual.maxConnections(),
        usual.maxConnectionsPerAddress(),
        usual.maxHandlers(),
        usual.maxCalls(),
        Duration.ofSeconds(30),
        usual.idleTimeout(),
        usual.maxConnectionAge(),
        usual.stopTimeout());
  }
}

package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.kit.testing.ApiServerExtension;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The same methods, and the same refusals, as JSON over HTTP.
class JsonTest {
  @RegisterExtension
  static final ApiServerExtension SERVER = new ApiServerExtension(api -> api.service(new Shelf()));

  private static final String BOOKS = "/v1/tenants/acme/books";

  private final HttpClient client = HttpClient.newHttpClient();

  record Answer(int status, JsonNode body) {
    String reason() {
      return detail("ErrorInfo").path("reason").asText();
    }

    JsonNode detail(String type) {
      return StreamSupport.stream(body.path("details").spliterator(), false)
          .filter(detail -> detail.path("@type").asText().endsWith("." + type))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no " + type + " in " + body));
    }
  }

  @Test
  void servesMethodsByTheirPath() throws Exception {
    assertThat(get("/v1/greetings/ada").body().path("text").asText()).isEqualTo("hello ada");
    Answer put = post(BOOKS, token(), "{\"book\": {\"id\": \"emma\", \"pages\": 474}}");
    assertThat(put.status()).isEqualTo(200);
    assertThat(put.body().path("id").asText()).isEqualTo("emma");
  }

  @Test
  void writesEveryPartOfARefusal() throws Exception {
    Answer refused = post(BOOKS, token(), "{\"book\": {\"id\": \"refused\", \"pages\": 1}}");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body().path("code").asInt()).isEqualTo(9);
    assertThat(refused.body().path("message").asText()).isEqualTo("the shelf of acme is full");
    assertThat(refused.reason()).isEqualTo("SHELF_FULL");
    assertThat(refused.detail("ErrorInfo").path("domain").asText()).isEqualTo("headgate.io");
    assertThat(refused.detail("ErrorInfo").path("metadata").path("capacity").asText())
        .isEqualTo("3");
    assertThat(refused.detail("RetryInfo").path("retryDelay").asText()).isEqualTo("1.500s");
    assertThat(refused.detail("RequestInfo").path("requestId").asText()).isNotEmpty();
  }

  @Test
  void namesEveryWrongField() throws Exception {
    Answer refused = post(BOOKS, token(), "{\"book\": {\"id\": \"A B\"}}");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.detail("BadRequest").path("fieldViolations").findValuesAsText("field"))
        .containsExactlyInAnyOrder("book.id", "book.pages");
  }

  @Test
  void keepsTheTextOfUnexpectedFailuresToItself() throws Exception {
    Answer failed = post(BOOKS, token(), "{\"book\": {\"id\": \"broken\", \"pages\": 1}}");
    assertThat(failed.status()).isEqualTo(500);
    assertThat(failed.body().toString()).doesNotContain("hunter2");
    assertThat(failed.reason()).isEqualTo("INTERNAL");
  }

  @Test
  void namesAnUnknownFieldAndTheOneThatWasMeant() throws Exception {
    Answer typo = post(BOOKS, token(), "{\"book\": {\"id\": \"emma\", \"pagse\": 474}}");
    assertThat(typo.reason()).isEqualTo("MALFORMED_REQUEST");
    assertThat(typo.body().path("message").asText())
        .isEqualTo("Book has no field \"pagse\": did you mean pages?");
    assertThat(typo.detail("BadRequest").path("fieldViolations").findValuesAsText("field"))
        .containsExactly("pagse");
    Answer strange = post(BOOKS, token(), "{\"zzzzzzzz\": 1}");
    assertThat(strange.body().path("message").asText())
        .startsWith("PutBookRequest has no field \"zzzzzzzz\": its fields: ")
        .contains("book");
  }

  @Test
  void saysThatAKeyIsExchangedForAToken() throws Exception {
    Answer refused = post(BOOKS, "hg_user_0000000000000001_" + "s".repeat(43), "{}");
    assertThat(refused.status()).isEqualTo(401);
    assertThat(refused.reason()).isEqualTo("TOKEN_INVALID");
    assertThat(refused.body().path("message").asText()).contains("POST /v1/tokens:exchange");
    assertThat(refused.body().toString()).doesNotContain("ssss");
  }

  record Case(String name, String path, String token, String body, int status, String reason) {
    @Override
    public String toString() {
      return name;
    }
  }

  @ParameterizedTest
  @MethodSource
  void refuses(Case bad) throws Exception {
    Answer answer = post(bad.path(), bad.token(), bad.body());
    assertThat(answer.status()).isEqualTo(bad.status());
    assertThat(answer.reason()).isEqualTo(bad.reason());
  }

  static List<Case> refuses() {
    String good = "{\"book\": {\"id\": \"emma\", \"pages\": 1}}";
    String big = "{\"book\": {\"id\": \"" + "a".repeat(2 << 20) + "\"}}";
    String deep = "{\"book\": ".repeat(2000) + "1" + "}".repeat(2000);
    return List.of(
        new Case("no token", BOOKS, "", good, 401, "TOKEN_MISSING"),
        new Case("bad token", BOOKS, "nonsense", good, 401, "TOKEN_INVALID"),
        new Case("wrong role", BOOKS, node(), good, 403, "ROLE_DENIED"),
        new Case("foreign tenant", "/v1/tenants/x/books", token(), good, 404, "TENANT_NOT_FOUND"),
        new Case("no such path", "/v1/nothing", token(), good, 404, "NO_SUCH_METHOD"),
        new Case("wrong verb", "/v1/greetings/ada", token(), good, 405, "NO_SUCH_METHOD"),
        new Case("not JSON", BOOKS, token(), "{\"book\": ", 400, "MALFORMED_REQUEST"),
        new Case("not an object", BOOKS, token(), "[1]", 400, "MALFORMED_REQUEST"),
        new Case("wrong type", BOOKS, token(), "{\"book\": 1}", 400, "MALFORMED_REQUEST"),
        new Case("unknown field", BOOKS, token(), "{\"bok\": {}}", 400, "MALFORMED_REQUEST"),
        new Case("too deep", BOOKS, token(), deep, 400, "MALFORMED_REQUEST"),
        new Case("too large", BOOKS, token(), big, 429, "MESSAGE_TOO_LARGE"));
  }

  private static String token() {
    return SERVER.tokens().member("acme", "ada");
  }

  private static String node() {
    return SERVER.tokens().node("acme", "gpu-1");
  }

  private Answer get(String path) throws Exception {
    return send(HttpRequest.newBuilder(SERVER.uri().resolve(path)).build());
  }

  private Answer post(String path, String token, String body) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(SERVER.uri().resolve(path))
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString(body));
    if (!token.isEmpty()) {
      request.header("authorization", "Bearer " + token);
    }
    return send(request.build());
  }

  private Answer send(HttpRequest request) throws Exception {
    var response = client.send(request, BodyHandlers.ofString());
    return new Answer(response.statusCode(), new ObjectMapper().readTree(response.body()));
  }
}

package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.PostgresFixture;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The same methods with curl: the paths that the contract annotates, custom verbs included.
class JsonTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @Test
  void aKeyBecomesATokenAndTheTokenReadsAndChangesThings() throws Exception {
    String key = POLICY.adminKeys().getLast().reveal();
    HttpResponse<String> exchanged =
        send("POST", "/v1/tokens:exchange", "", "{\"key\": \"" + key + "\"}");
    assertThat(exchanged.statusCode()).isEqualTo(200);
    String token = exchanged.body().split("\"token\": *\"")[1].split("\"")[0];

    HttpResponse<String> made =
        send("POST", "/v1/tenants?tenantId=hooli", token, "{\"displayName\": \"Hooli\"}");
    assertThat(made.statusCode()).as(made.body()).isEqualTo(200);
    assertThat(made.body()).contains("tenants/hooli");
    HttpResponse<String> group =
        send("POST", "/v1/tenants/hooli/groups?groupId=rnd", token, "{\"users\": [\"gavin\"]}");
    assertThat(group.statusCode()).as(group.body()).isEqualTo(200);
    HttpResponse<String> changed =
        send(
            "PATCH",
            "/v1/tenants/hooli/users/gavin?updateMask=display_name",
            token,
            "{\"displayName\": \"Gavin\"}");
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    HttpResponse<String> read = send("GET", "/v1/tenants/hooli/accessConfiguration", token, "");
    assertThat(read.body()).contains("tenants/hooli/groups/rnd", "gavin");
    HttpResponse<String> self = send("GET", "/v1/whoami", token, "");
    assertThat(self.body()).contains("operators/root", "ROLE_PLATFORM_OPERATOR");
  }

  @Test
  void aRefusalIsJsonToo() throws Exception {
    HttpResponse<String> refused =
        send("POST", "/v1/tokens:exchange", "", "{\"key\": \"nonsense\"}");
    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(refused.body()).contains("KEY_REJECTED");
    assertThat(send("GET", "/v1/whoami", "", "").statusCode()).isEqualTo(401);
    assertThat(send("GET", "/v1/verificationKeys", "", "").body()).contains("ES256");
  }

  private static HttpResponse<String> send(String method, String path, String token, String body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(POLICY.uri().resolve(path))
            .header("content-type", "application/json")
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (!token.isEmpty()) {
      request.header("authorization", "Bearer " + token);
    }
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }
}

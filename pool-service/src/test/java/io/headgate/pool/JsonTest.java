package io.headgate.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The same methods as JSON over HTTP: one of each verb, so that the paths of the contract are
/// known to lead where they say.
class JsonTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("pool");

  @Order(2)
  @RegisterExtension
  static final PoolFixture POOL = PoolFixture.on(POSTGRES);

  @Order(3)
  @RegisterExtension
  static final ApiServerExtension SERVER = new ApiServerExtension(POOL::register);

  private final HttpClient http = HttpClient.newHttpClient();
  private final String tenant = Client.newTenant();

  @Test
  void editsProvisionsAndReads() throws Exception {
    assertThat(call("POST", "pools?pool_id=onprem", "{\"capacity\": \"8\"}").body())
        .contains("tenants/" + tenant + "/pools/onprem");
    assertThat(call("PATCH", "pools/onprem?update_mask=capacity", "{\"capacity\": \"9.5\"}").body())
        .contains("19/2");
    assertThat(
            call("POST", "profiles?profile_id=half", "{\"gpus\": \"0.5\", \"pools\": [\"onprem\"]}")
                .statusCode())
        .isEqualTo(200);
    assertThat(call("POST", "draft:provision", "{}").body()).contains("\"version\"");
    assertThat(call("GET", "resourceConfiguration", "").body()).contains("1/2").contains("19/2");
    assertThat(call("GET", "resourceConfigurationVersions?page_size=1", "").statusCode())
        .isEqualTo(200);
    assertThat(call("PUT", "draft", "{\"configuration\": {}}").body()).contains("draft");
    assertThat(call("DELETE", "draft", "").statusCode()).isEqualTo(200);
    assertThat(call("GET", "pools", "").body()).contains("onprem");
    assertThat(call("GET", "nodes", "").statusCode()).isEqualTo(200);
    assertThat(call("DELETE", "profiles/half", "").statusCode()).isEqualTo(200);
    assertThat(call("GET", "profiles/half", "").statusCode()).isEqualTo(200);
    HttpResponse<String> refused = call("POST", "nodes/absent:drain", "{}");
    assertThat(refused.statusCode()).isEqualTo(404);
    assertThat(refused.body()).contains("NODE_NOT_FOUND");
  }

  private HttpResponse<String> call(String method, String path, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(SERVER.uri().resolve("/v1/tenants/" + tenant + "/" + path))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .header("content-type", "application/json; charset=utf-8")
            .header("authorization", "Bearer " + SERVER.tokens().admin(tenant))
            .build();
    return http.send(request, BodyHandlers.ofString());
  }
}

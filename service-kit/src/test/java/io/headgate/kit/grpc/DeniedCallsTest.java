package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.PutBookRequest;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.ScrapedTelemetry;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.testing.TestTokens;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A part of a process counts the calls that it refuses because of their caller.
class DeniedCallsTest {
  private static final Pattern SERIES =
      Pattern.compile(
          "headgate_auth_denied_total\\{(?:headgate_method=\"(\\w+)\",)?"
              + "headgate_reason=\"(\\w+)\",service_name=\"headgate-([a-z]+)\"} ([0-9.]+)");

  private final TestTokens tokens = TestTokens.create();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private ScrapedTelemetry scraped;
  private ApiServer server;

  @BeforeEach
  void start() {
    scraped = ScrapedTelemetry.start("headgate-process");
    server =
        ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), scraped.telemetry())
            .authentication(tokens.verifier())
            .part(scraped.telemetry().part("headgate-shelf"))
            .service(new Shelf())
            .build();
    server.start();
  }

  @AfterEach
  void stop() {
    channels.forEach(ManagedChannel::shutdownNow);
    server.close();
    scraped.close();
  }

  /// The counts by `service method reason`, those of 0 left out or alone.
  private Map<String, Double> counts(boolean zero) {
    Map<String, Double> counts = new TreeMap<>();
    scraped.scrape().stream()
        .filter(line -> line.startsWith("headgate_auth_denied_total"))
        .forEach(line -> {
          Matcher series = SERIES.matcher(line);
          assertThat(series.matches()).as(line).isTrue();
          String method = Optional.ofNullable(series.group(1)).orElse("-");
          double value = Double.parseDouble(series.group(4));
          if ((value == 0) == zero) {
            counts.put(series.group(3) + " " + method + " " + series.group(2), value);
          }
        });
    return counts;
  }

  private void put(TokenSource token, String tenant) {
    ManagedChannel channel =
        Channels.open(TestChannels.patient(server.uri()), token, Telemetry.disabled());
    channels.add(channel);
    assertThat(catchThrowable(() -> put(channel, tenant))).isNotNull();
  }

  private static void put(Channel channel, String tenant) {
    var _ =
        ShelfServiceGrpc.newBlockingStub(channel)
            .putBook(
                PutBookRequest.newBuilder()
                    .setParent("tenants/" + tenant)
                    .setBook(Book.newBuilder().setId("moby").setPages(1))
                    .build());
  }

  private static TokenSource token(String token) {
    return () -> Optional.of(token);
  }

  private int ask(String verb, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri().resolve(path))
            .method(verb, HttpRequest.BodyPublishers.noBody())
            .build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request, BodyHandlers.ofString()).statusCode();
    }
  }

  @Test
  void theExpectedRefusalsAreZeroBeforeTheFirst() {
    assertThat(counts(true).keySet())
        .contains(
            "process - TOKEN_MISSING",
            "shelf - TOKEN_EXPIRED",
            "shelf - TOKEN_INVALID",
            "shelf - TOKEN_MISSING",
            "shelf - TOKEN_REVOKED",
            "shelf PutBook ROLE_DENIED",
            "shelf Exchange ROLE_DENIED")
        .as("anonymous methods deny no role")
        .doesNotContain("shelf Greet ROLE_DENIED");
    assertThat(counts(false)).isEmpty();
  }

  @Test
  void eachRefusalCountsOnceUnderItsReason() {
    put(TokenSource.anonymous(), "acme");
    put(token("nonsense"), "acme");
    put(token(tokens.node("acme", "a-0")), "acme");
    put(token(tokens.node("acme", "a-0")), "acme");
    put(token(tokens.member("acme", "ada")), "globex");
    assertThat(counts(false))
        .containsOnly(
            Map.entry("shelf - TOKEN_MISSING", 1.0),
            Map.entry("shelf - TOKEN_INVALID", 1.0),
            Map.entry("shelf PutBook ROLE_DENIED", 2.0),
            Map.entry("shelf PutBook TENANT_NOT_FOUND", 1.0));
  }

  @Test
  void callsOfTheJsonApiAndPagesCountToo() throws Exception {
    assertThat(ask("POST", "/v1/tenants/acme/books")).isEqualTo(401);
    assertThat(ask("GET", "/docs/")).isEqualTo(401);
    assertThat(counts(false))
        .containsOnly(
            Map.entry("shelf - TOKEN_MISSING", 1.0), Map.entry("process - TOKEN_MISSING", 1.0));
  }

  @Test
  void otherRefusalsDoNotCount() {
    String ada = tokens.member("acme", "ada");
    ManagedChannel channel =
        Channels.open(TestChannels.patient(server.uri()), token(ada), Telemetry.disabled());
    channels.add(channel);
    put(channel, "acme");
    PutBookRequest full =
        PutBookRequest.newBuilder()
            .setParent("tenants/acme")
            .setBook(Book.newBuilder().setId("refused").setPages(1))
            .build();
    assertThat(catchThrowable(() -> ShelfServiceGrpc.newBlockingStub(channel).putBook(full)))
        .hasMessageContaining("full");
    assertThat(counts(false)).isEmpty();
  }
}

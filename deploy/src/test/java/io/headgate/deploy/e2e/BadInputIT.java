package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.config.Secret;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.policy.PolicyService;
import io.headgate.policy.PolicyServiceConfig;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.config.Problem;
import io.headgate.sdk.config.Span;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.ConfigurationState;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.ServerAddress;
import io.headgate.sdk.model.StatusCode;
import io.headgate.sdk.model.Submission;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Bad input is refused with the field, the value and a valid alternative, and changes nothing.
class BadInputIT {
  private static final String HEADER =
      "apiVersion: headgate/v1\nkind: Configuration\ntenant: acme\n";
  private static final String GOOD =
      """
      groups: [{name: team, users: [ada]}]
      pools: [{name: local, type: static}]
      profiles: [{name: one, gpus: 1, pools: [local]}]
      policies:
        - name: team
          group: team
          reservation: 1
          limit: 2
          queues: [{name: team-one, profile: one}]
      """;

  /// Sizes that can be configured although the only node has room for none of them.
  private static final String LARGE =
      GOOD.replace(
              "pools: [local]}]",
              "pools: [local]}, {name: four, gpus: 4, pools: [local]},"
                  + " {name: fat, gpus: 1, gpuMemory: 200GiB, pools: [local]}]")
          + """
            - name: large
              group: team
              reservation: 1
              limit: 8
              perUserLimit: 3
              queues:
                - {name: large-four, profile: four}
                - {name: large-fat, profile: fat}
            - name: wide
              group: team
              reservation: 1
              limit: 8
              queues:
                - {name: wide-four, profile: four}
          """
              .indent(0);

  @TempDir private static Path directory;
  private static TestInstallation headgate;

  private ConfigurationState configurationBefore;
  private int jobsBefore;

  @BeforeAll
  static void start() throws Exception {
    headgate =
        TestInstallation.start(directory)
            .withConfiguration(LARGE)
            .withNode("a-0", "local", "2xA100-80GiB");
    headgate.jobs().submit(TestInstallation.endless("taken", "team-one"));
  }

  @AfterAll
  static void stop() {
    headgate.close();
  }

  @BeforeEach
  void remember() {
    configurationBefore = headgate.operator().configuration("acme").read();
    jobsBefore = headgate.jobs().listAll(JobFilter.ALL).size();
  }

  @AfterEach
  void nothingHasChanged() {
    assertThat(headgate.operator().configuration("acme").read()).isEqualTo(configurationBefore);
    assertThat(headgate.jobs().listAll(JobFilter.ALL)).hasSize(jobsBefore);
  }

  @Test
  void anUnknownQueueIsNamedWithItsNearest() {
    HeadgateException refusal =
        refusal(() -> headgate.jobs().submit(TestInstallation.endless("a", "team-onn")));

    assertThat(refusal.reason()).isEqualTo("QUEUE_NOT_FOUND");
    assertThat(refusal.field()).contains("spec.queue");
    assertThat(refusal).hasMessageContaining("team-onn").hasMessageContaining("team-one");
  }

  @Test
  void aJobAboveItsPolicysLimitForAUserIsRefusedAndNotQueuedForEver() {
    HeadgateException refusal = refusal(() -> headgate.jobsOf("ada").submit(job("large-four")));

    assertThat(refusal.reason()).isEqualTo("NEVER_FITS");
    assertThat(refusal.field()).contains("spec.queue");
    assertThat(refusal)
        .hasMessageContaining("queue 'large-four'")
        .hasMessageContaining("one job needs 4 GPUs, one user of large gets at most 3 (ada)");
  }

  @Test
  void aJobLargerThanAnyNodeIsRefusedWithTheNearest() {
    HeadgateException refusal = refusal(() -> headgate.jobs().submit(job("wide-four")));

    assertThat(refusal.reason()).isEqualTo("NEVER_FITS");
    assertThat(refusal.field()).contains("spec.queue");
    assertThat(refusal)
        .hasMessageContaining("queue 'wide-four'")
        .hasMessageContaining(
            "no node is large enough for profile four; the nearest, in local, has 2");
  }

  @Test
  void aJobLargerThanAnyDeviceIsRefusedWithTheNearest() {
    HeadgateException refusal = refusal(() -> headgate.jobs().submit(job("large-fat")));

    assertThat(refusal.reason()).isEqualTo("NEVER_FITS");
    assertThat(refusal.field()).contains("spec.queue");
    assertThat(refusal)
        .hasMessageContaining("queue 'large-fat'")
        .hasMessageContaining("81920 MiB of the 204800 MiB device memory it needs");
  }

  /// Bypasses the file's own checks, so that the service itself judges the input.
  @Test
  void aProfileAboveThePolicysLimitIsRefusedByTheServiceToo() throws Exception {
    String lower = LARGE.replace("limit: 8", "limit: 3");
    Configuration inForce = ConfigurationReader.read("acme.yaml", HEADER + LARGE).configuration();
    Configuration rights =
        ConfigurationReader.read("acme.yaml", HEADER + lower.replace("gpus: 4", "gpus: 2"))
            .configuration();
    Configuration wanted =
        new Configuration(
            "acme", inForce.groups(), inForce.pools(), inForce.profiles(), rights.policies());

    HeadgateException refusal =
        refusal(() -> headgate.operator().configuration("acme").plan(wanted));

    assertThat(refusal.failure().violations())
        .extracting(violation -> violation.field() + ": " + violation.description())
        .anySatisfy(text ->
            assertThat(text)
                .contains("queues[wide-four].profile")
                .contains("one job of profile 'four' needs 4 GPUs, more than the limit 3"));
  }

  @Test
  void aProfileAboveThePolicysLimitIsNotConnected() {
    ConfigurationException refusal = mistakes(GOOD.replace("gpus: 1", "gpus: 3"));

    assertThat(refusal.problems().getFirst().reason()).isEqualTo("PROFILE_ABOVE_LIMIT");
    assertThat(refusal.problems().getFirst().toString()).contains("3", "2");
  }

  @Test
  void aProfileWithoutAPoolIsRefusedWithItsPlace() {
    ConfigurationException refusal = mistakes(GOOD.replace("pools: [local]}", "pools: []}"));

    assertThat(refusal.problems()).hasSize(1);
    Problem problem = refusal.problems().getFirst();
    assertThat(problem.reason()).isEqualTo("PROFILE_WITHOUT_POOL");
    assertThat(problem.message()).contains("\"one\"");
    assertThat(problem.field()).isEqualTo("profiles[one].pools");
    assertThat(problem.next()).contains("pools: [NAME");
  }

  @Test
  void malformedYamlIsRefusedWithLineAndColumn() {
    ConfigurationException refusal = mistakes("groups: [{name: team\npools: ]\n");

    assertThat(refusal.problems()).hasSize(1);
    assertThat(refusal).hasMessageStartingWith("acme.yaml: ");
    // Three lines of header come first; the colon is the first character that open brackets forbid.
    assertThat(refusal.problems().getFirst().span()).isEqualTo(new Span(5, 6, 1));
  }

  @Test
  void anInexactQuantityIsRefusedWithItsNeighbours() {
    ConfigurationException refusal = mistakes(GOOD.replace("gpus: 1", "gpus: 0.1234567"));

    assertThat(refusal.problems().getFirst().reason()).isEqualTo("INEXACT_QUANTITY");
    assertThat(refusal.problems().getFirst().toString())
        .contains("0.1234567", "15555/126000", "15556/126000");
  }

  @Test
  void aTakenNameIsRefused() {
    HeadgateException refusal =
        refusal(() -> headgate.jobs().submit(TestInstallation.endless("taken", "team-one")));

    assertThat(refusal.code()).isEqualTo(StatusCode.ALREADY_EXISTS);
    assertThat(refusal.reason()).isEqualTo("NAME_TAKEN");
    assertThat(refusal.field()).contains("job_id");
    assertThat(refusal).hasMessageContaining("'taken'").hasMessageContaining("choose another id");
  }

  @Test
  void aCallWithoutATokenIsRefusedOverJson() throws Exception {
    HttpResponse<String> answer = get("");

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("TOKEN_MISSING");
  }

  @Test
  void aTokenThatNobodySignedIsRefused() throws Exception {
    HttpResponse<String> answer = get("Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJyb290In0.");

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("TOKEN_INVALID");
  }

  /// The installation itself signed the token, an hour ago by the token's own times.
  @Test
  void anExpiredTokenIsRefusedWithWhatToDo() throws Exception {
    String expired = tokenOfAnHourAgo();

    HttpResponse<String> answer = get("Bearer " + expired);
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body())
        .contains("TOKEN_EXPIRED", "the token has expired: get a new one", "expiredAt");

    ClientConfig config =
        ClientConfig.of(
            ServerAddress.parse(headgate.installation().uri().toString()),
            new Credentials.Token(expired));
    try (HeadgateClient late = HeadgateClient.connect(config)) {
      HeadgateException refusal = refusal(() -> late.jobs("acme").submit(job("team-one")));
      assertThat(refusal.code()).isEqualTo(StatusCode.UNAUTHENTICATED);
      assertThat(refusal.reason()).isEqualTo("TOKEN_EXPIRED");
    }
  }

  /// Comes from a second issuer on the same database and secrets, whose clock is an hour slow.
  private static String tokenOfAnHourAgo() throws Exception {
    String url =
        "jdbc:postgresql://127.0.0.1:%d/headgate".formatted(headgate.installation().postgresPort());
    String password = Files.readString(directory.resolve("pg/password")).strip();
    PolicyServiceConfig config =
        PolicyServiceConfig.of(
            DatabaseConfig.of(url, "headgate", Secret.of(password), "policy"),
            ChannelConfig.of(headgate.installation().uri()),
            directory.resolve("secrets"));
    TimeSource slow =
        new TimeSource() {
          @Override
          public Instant instant() {
            return TimeSource.system().instant().minus(Duration.ofHours(1));
          }

          @Override
          public long monotonicNanos() {
            return TimeSource.system().monotonicNanos();
          }
        };
    try (PolicyService issuer = new PolicyService(config, Telemetry.disabled(), slow)) {
      ApiServer.Builder api =
          ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), Telemetry.disabled())
              .authentication(issuer.verifier());
      issuer.register(api);
      try (ApiServer server = api.build()) {
        server.start();
        URI exchange = server.uri().resolve("/v1/tokens:exchange");
        String key = headgate.installation().adminKey().reveal();
        HttpRequest request =
            HttpRequest.newBuilder(exchange)
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"key\":\"" + key + "\"}"))
                .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
          String body = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
          Matcher token = Pattern.compile("\"token\"\\s*:\\s*\"([^\"]+)\"").matcher(body);
          assertThat(token.find()).as(body).isTrue();
          return token.group(1);
        }
      }
    }
  }

  @Test
  void aRejectedKeyIsSaid() {
    ClientConfig config =
        ClientConfig.of(
            ServerAddress.parse(headgate.installation().uri().toString()),
            new Credentials.Key("hg_user_nobody"));
    try (HeadgateClient stranger = HeadgateClient.connect(config)) {
      HeadgateException refusal = refusal(() -> stranger.jobs("acme").get("taken"));

      assertThat(refusal.code()).isEqualTo(StatusCode.UNAUTHENTICATED);
      assertThat(refusal.reason()).isEqualTo("KEY_REJECTED");
    }
  }

  @Test
  void aPayloadOverTheLimitIsRefused() {
    Map<String, String> large = new HashMap<>();
    for (int i = 0; i < 11; i++) {
      large.put("V" + i, "x".repeat(100_000));
    }
    JobSpec spec = JobSpec.of("team-one", List.of("true")).withEnvironment(large);

    HeadgateException refusal = refusal(() -> headgate.jobs().submit(Submission.of(spec)));

    assertThat(refusal.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
    assertThat(refusal.reason()).isEqualTo("MESSAGE_TOO_LARGE");
    assertThat(refusal)
        .hasMessageContaining("larger than allowed")
        .hasMessageContaining("send less at a time");
  }

  private static Submission job(String queue) {
    return Submission.of(JobSpec.of(queue, List.of("true")));
  }

  private static HttpResponse<String> get(String authorization) throws Exception {
    URI jobs = headgate.installation().uri().resolve("/v1/tenants/acme/jobs");
    HttpRequest.Builder request = HttpRequest.newBuilder(jobs);
    if (!authorization.isEmpty()) {
      request.header("authorization", authorization);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  private static HeadgateException refusal(ThrowingCallable call) {
    HeadgateException refusal = catchThrowableOfType(HeadgateException.class, call);
    assertThat(refusal).as("the call is refused").isNotNull();
    return refusal;
  }

  private static ConfigurationException mistakes(String yaml) {
    ConfigurationException refusal =
        catchThrowableOfType(
            ConfigurationException.class,
            () -> ConfigurationReader.read("acme.yaml", HEADER + yaml));
    assertThat(refusal).as("the file is refused").isNotNull();
    return refusal;
  }
}

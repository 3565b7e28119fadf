package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.ConfigurationReader;
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
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Bad input is refused with the field, the value and what would be right, and changes nothing.
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

  @TempDir private static Path directory;
  private static TestInstallation headgate;

  private ConfigurationState configurationBefore;
  private int jobsBefore;

  @BeforeAll
  static void start() throws Exception {
    headgate = TestInstallation.start(directory).withConfiguration(GOOD);
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
  void aProfileAboveThePolicysLimitIsNotConnected() {
    ConfigurationException refusal = mistakes(GOOD.replace("gpus: 1", "gpus: 3"));

    assertThat(refusal.problems().getFirst().reason()).isEqualTo("PROFILE_ABOVE_LIMIT");
    assertThat(refusal.problems().getFirst().toString()).contains("3", "2");
  }

  @Test
  void aProfileWithoutAPoolIsRefusedWithItsPlace() {
    ConfigurationException refusal = mistakes(GOOD.replace("pools: [local]}", "pools: []}"));

    assertThat(refusal.problems()).hasSize(1);
    assertThat(refusal.problems().getFirst().toString()).contains("profiles[one]");
  }

  @Test
  void malformedYamlIsRefusedWithLineAndColumn() {
    ConfigurationException refusal = mistakes("groups: [{name: team\npools: ]\n");

    assertThat(refusal.problems()).hasSize(1);
    assertThat(refusal.problems().getFirst().span()).isNotNull();
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
    assertThat(refusal).hasMessageContaining("taken");
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

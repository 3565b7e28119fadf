package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.ScrapedTelemetry;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The names and values of metrics, as a scrape shows them, and a trace from the caller to the
/// agent.
final class TelemetryTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private ScrapedTelemetry telemetry;
  private Installation installation;

  @BeforeEach
  void start() {
    telemetry = ScrapedTelemetry.start("scheduler");
    installation = new Installation(POSTGRES.fresh()).with(telemetry.telemetry());
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
  }

  @AfterEach
  void stop() {
    installation.close();
    telemetry.close();
  }

  /// The number of the series that has all these parts.
  private static double number(List<String> scrape, String name, String... attributes) {
    List<String> found =
        scrape.stream()
            .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
            .filter(line -> List.of(attributes).stream().allMatch(line::contains))
            .toList();
    assertThat(found).as("%s %s", name, List.of(attributes)).hasSize(1);
    String line = found.getFirst();
    return Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
  }

  @Test
  void showsWhatStandsAndWhatHappenedUnderTheDocumentedNames() {
    FakeAgent agent = installation.agent("a-0").slowToStop().connect();
    JobServiceBlockingStub alice = installation.alice();
    for (int i = 0; i < 4; i++) {
      submit(alice, submit("rnd-3", "r-" + i));
    }
    awaitState(alice, "r-2", Job.State.STATE_RUNNING);
    submit(installation.eve(), submit("devops-3", "d-0"));
    agent.awaitStop("r-2");

    List<String> scrape = telemetry.scrape();
    String onprem = "headgate_pool=\"onprem\"";
    String model = "hw_model=\"H100\"";
    assertThat(number(scrape, "headgate_pool_gpu_capacity", onprem, model)).isEqualTo(10);
    assertThat(number(scrape, "headgate_pool_gpu_used", onprem, model, "kind=\"entitled\""))
        .as("the whole reservation of 5")
        .isEqualTo(5);
    assertThat(number(scrape, "headgate_pool_gpu_used", onprem, model, "kind=\"over_reservation"))
        .as("all are 9, as pools shows")
        .isEqualTo(4);
    assertThat(number(scrape, "headgate_pool_gpu_used", onprem, model, "kind=\"above_limit"))
        .isZero();
    assertThat(number(scrape, "headgate_pool_gpu_down", onprem, model)).isZero();
    assertThat(number(scrape, "headgate_hold_count", onprem)).isEqualTo(1);
    assertThat(number(scrape, "headgate_hold_age_seconds", onprem)).isPositive();
    String rnd = "headgate_policy=\"rnd\"";
    assertThat(number(scrape, "headgate_policy_gpu_reservation", rnd)).isEqualTo(5);
    assertThat(number(scrape, "headgate_policy_gpu_limit", rnd)).isEqualTo(9);
    assertThat(number(scrape, "headgate_policy_gpu_demand", rnd)).isEqualTo(3);
    String queue = "headgate_queue=\"rnd-3\"";
    assertThat(number(scrape, "headgate_queue_jobs", queue, "state=\"waiting\"")).isEqualTo(1);
    assertThat(number(scrape, "headgate_queue_waiting", queue, "reason=\"LIMIT\"")).isEqualTo(1);
    assertThat(number(scrape, "headgate_queue_oldest_age_seconds", queue)).isPositive();
    assertThat(number(scrape, "headgate_agent_connected", "headgate_node=\"a-0\"")).isEqualTo(1);
    assertThat(number(scrape, "headgate_scheduler_leader")).isEqualTo(1);
    assertThat(number(scrape, "headgate_scheduler_epoch")).isEqualTo(1);
    telemetry.showsConnectionsTo("scheduler");
    assertThat(number(scrape, "headgate_scheduler_input_delay_seconds_count")).isPositive();
    assertThat(number(scrape, "headgate_scheduler_pass_duration_seconds_count")).isPositive();
    assertThat(number(scrape, "headgate_scheduler_commit_duration_seconds_count")).isPositive();
    assertThat(number(scrape, "headgate_preemption_count_total", "headgate_rule=\"P1\""))
        .isEqualTo(1);
    assertThat(number(scrape, "headgate_scheduler_decisions_total", "effect=\"start\""))
        .isEqualTo(3);
    assertThat(number(scrape, "headgate_scheduler_decisions_total", "effect=\"hold\""))
        .isEqualTo(1);
    assertThat(number(scrape, "headgate_job_wait_duration_seconds_count", rnd, "entitled=\"true\""))
        .as("r-0, within the reservation of 5")
        .isEqualTo(1);
    assertThat(
            number(scrape, "headgate_job_wait_duration_seconds_count", rnd, "entitled=\"false\""))
        .as("r-1 and r-2")
        .isEqualTo(2);
    assertThat(number(scrape, "headgate_agent_lease_remaining_seconds", "a-0")).isPositive();
    assertThat(scrape).as("no job's name is an attribute").noneMatch(line -> line.contains("r-0"));
  }

  @Test
  void refusalsCountFromZero() {
    List<String> before = telemetry.scrape();
    String name = "headgate_auth_denied_total";
    String role = "headgate_method=\"SubmitJob\",headgate_reason=\"ROLE_DENIED\"";
    String token = "headgate_auth_denied_total{headgate_reason=\"TOKEN_INVALID\"";
    assertThat(number(before, name, role)).isZero();
    assertThat(number(before, name, token)).isZero();
    JobServiceBlockingStub node = installation.jobs(installation.tokens.node("acme", "a-0"));
    Refused.by(() -> node.submitJob(submit("rnd-3", "r-0")))
        .hasReason(Status.Code.PERMISSION_DENIED, "ROLE_DENIED");
    Refused.by(() -> installation.jobs("nonsense").submitJob(submit("rnd-3", "r-0")))
        .hasReason(Status.Code.UNAUTHENTICATED, "TOKEN_INVALID");
    List<String> after = telemetry.scrape();
    assertThat(number(after, name, role)).isEqualTo(1);
    assertThat(number(after, name, token)).isEqualTo(1);
  }

  /// From the moment that the configuration has them.
  @Test
  void queuesAndPoliciesHaveZeroesBeforeTheirFirstJob() {
    List<String> scrape = telemetry.scrape();
    String rnd = "headgate_policy=\"rnd\"";
    assertThat(number(scrape, "headgate_preemption_lost_seconds_total", rnd)).isZero();
    for (String outcome : List.of("done", "failed", "cancelled", "lost")) {
      assertThat(
              number(
                  scrape,
                  "headgate_job_finished_total",
                  rnd,
                  "headgate_queue=\"rnd-3\"",
                  "headgate_outcome=\"" + outcome + "\""))
          .isZero();
    }
  }

  @Test
  void carriesTheCallersTraceToTheAgent() {
    FakeAgent agent = installation.agent("a-0").connect();
    String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    Metadata metadata = new Metadata();
    metadata.put(
        Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER),
        "00-" + trace + "-00f067aa0ba902b7-01");
    JobServiceBlockingStub alice =
        installation.alice().withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
    submit(alice, submit("rnd-3", "r-0"));
    assertThat(agent.awaitAssign("r-0").getTraceparent()).startsWith("00-" + trace + "-");
  }
}

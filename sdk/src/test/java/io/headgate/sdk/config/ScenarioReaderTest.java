package io.headgate.sdk.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.config.ScenarioFile.Action;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScenarioReaderTest {
  private static final String SCENARIO =
      """
      apiVersion: headgate/v1
      kind: Scenario
      configuration:
        pools: [{name: onprem}]
        profiles: [{name: three, gpus: 3, pools: [onprem]}]
        policies:
          - {name: rnd, reservation: 3, limit: 9, queues: [{name: rnd-3, profile: three}]}
      nodes:
        - {name: a, count: 2, pool: onprem, gpus: 8, gpuModel: A100, gpuMemory: 80GiB, cpus: 96, memory: 1024GiB}
      running:
        - {queue: rnd-3, job: old, user: bob, node: a-0, devices: [{index: 0, gpus: 1}, {index: 1, gpus: 1}, {index: 2, gpus: 1}], startedAgo: 2h, duration: 5h, priority: 0}
      waiting:
        - {queue: rnd-3, job: w, user: bob, waitedSince: 1h}
      events:
        - {at: 0s, submit: {queue: rnd-3, job: r, count: 5, user: alice, duration: 1h, priority: 7, maxRuntime: 2h, preemptible: true, checkpoint: 10m}}
        - {at: 10s, cancel: r-1}
        - {at: 12.5s, nodeDown: a-1}
        - {at: 50s, nodeUp: a-1}
        - {at: 60s, set: {policy: rnd, limit: 4}}
        - {at: 65s, set: {queue: rnd-3, policy: rnd, rank: 2, overReservation: deny}}
        - {at: 66s, set: {profile: three, gpus: 2}}
        - {at: 67s, set: {pool: onprem, capacity: 6}}
        - {at: 70s, provision: {pools: [{name: onprem, gpuModel: A100}], profiles: [{name: three, gpus: 4, pools: [onprem]}]}}
      options: {stopTime: 30s, provisionTime: 1m, until: 10h}
      """;

  @Test
  void readsTheWholeFormat() throws ConfigurationException {
    ScenarioFile scenario = ScenarioReader.read("scenario.yaml", SCENARIO);

    assertThat(scenario.hasGroups()).isFalse();
    assertThat(scenario.nodes().getFirst().nameOf(1)).isEqualTo("a-1");
    assertThat(scenario.nodes().getFirst().cpuMillis()).isEqualTo(96_000);
    assertThat(scenario.running().getFirst().workers().getFirst().devices()).hasSize(3);
    assertThat(scenario.running().getFirst().startedAgo()).isEqualTo(Duration.ofHours(2));
    assertThat(scenario.waiting().getFirst().waitedSince()).isEqualTo(Duration.ofHours(1));
    assertThat(scenario.events()).hasSize(9);
    assertThat(scenario.events().get(2).at()).isEqualTo(Duration.ofMillis(12_500));
    assertThat(scenario.options())
        .isEqualTo(
            new ScenarioFile.Options(
                Duration.ofSeconds(30), Duration.ofMinutes(1), Duration.ofHours(10)));
    Action.Submit submit = (Action.Submit) scenario.events().getFirst().action();
    assertThat(submit.count()).isEqualTo(5);
    assertThat(submit.job().checkpoint()).isEqualTo(Duration.ofMinutes(10));
    assertThat(submit.job().priority()).isEqualTo(7);
    assertThat(submit.job().preemptible()).isTrue();
  }

  @Test
  void laysEachChangeOverThoseBefore() throws ConfigurationException {
    ScenarioFile scenario = ScenarioReader.read("scenario.yaml", SCENARIO);

    Policy limited = configuration(scenario, 4).policies().getFirst();
    assertThat(limited.limit()).isEqualTo(GpuQuantity.ofGpus(4));
    assertThat(limited.reservation()).isEqualTo(GpuQuantity.ofGpus(3));
    Configuration last = configuration(scenario, 8);
    assertThat(last.policies().getFirst().limit()).isEqualTo(GpuQuantity.ofGpus(4));
    assertThat(last.policies().getFirst().queues().getFirst().rank()).isEqualTo(2);
    assertThat(last.policies().getFirst().queues().getFirst().overReservation())
        .isEqualTo(Policy.OverReservation.DENY);
    assertThat(configuration(scenario, 6).profiles().getFirst().gpus())
        .isEqualTo(GpuQuantity.ofGpus(2));
    assertThat(configuration(scenario, 7).pools().getFirst().capacity())
        .isEqualTo(GpuQuantity.ofGpus(6));
    assertThat(last.pools().getFirst().capacity()).isNull();
    assertThat(last.pools().getFirst().gpuModel()).isEqualTo("A100");
    assertThat(scenario.configuration().policies().getFirst().limit())
        .isEqualTo(GpuQuantity.ofGpus(9));
  }

  @Test
  void readsJsonToo() throws ConfigurationException {
    ScenarioFile scenario =
        ScenarioReader.read(
            "scenario.json",
            """
            {"apiVersion": "headgate/v1", "kind": "Scenario",
             "configuration": {"pools": [{"name": "p"}],
               "profiles": [{"name": "one", "gpus": "1", "pools": ["p"]}],
               "policies": [{"name": "team", "limit": 1, "queues": [{"name": "q", "profile": "one"}]}]},
             "events": [{"at": "1h30m", "submit": {"queue": "q", "job": "J_1"}}]}
            """);

    assertThat(scenario.events().getFirst().at()).isEqualTo(Duration.ofMinutes(90));
    assertThat(scenario.options()).isEqualTo(ScenarioFile.Options.DEFAULT);
  }

  private static Configuration configuration(ScenarioFile scenario, int event) {
    return ((Action.Configure) scenario.events().get(event).action()).configuration();
  }
}

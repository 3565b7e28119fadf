package io.headgate.deploy.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.PipedCli.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The output of a simulation, line by line.
class SimulateTest {
  private static final String ONE_POLICY =
      """
      apiVersion: headgate/v1
      kind: Scenario
      configuration:
        pools: [{name: p}]
        profiles: [{name: one, gpus: 1, pools: [p]}, {name: pair, gpus: 1, workers: 2, pools: [p]}]
        policies:
          - name: own
            reservation: 2
            limit: 2
            queues: [{name: own, profile: one}, {name: own-pair, profile: pair}]
          - name: guest
            reservation: 0
            limit: 2
            queues: [{name: guest, profile: one}]
      nodes: [{name: n, pool: p, gpus: 2}]
      """;

  @Test
  void printsWhatTheFormatShows() {
    List<String> lines = run("{at: 0s, submit: {queue: own, job: a, duration: 12.5s}}");

    assertThat(lines)
        .containsExactly(
            "{\"at\":\"0s\",\"event\":\"start\",\"job\":\"a\",\"attempt\":1,\"queue\":\"own\",\"pool\":\"p\",\"node\":\"n\",\"devices\":[{\"index\":0,\"gpus\":\"1\"}]}",
            "{\"at\":\"12.5s\",\"event\":\"finish\",\"job\":\"a\",\"attempt\":1}",
            "{\"event\":\"summary\",\"until\":\"12.5s\",\"jobs\":{\"finished\":1,\"running\":0,\"waiting\":0,\"cancelled\":0},\"preemptions\":0,\"gpuSeconds\":{\"capacity\":\"25\",\"used\":\"25/2\",\"lost\":\"0\"},\"policies\":{\"guest\":{\"usage\":\"0\",\"reservation\":\"0\",\"limit\":\"2\",\"waitSeconds\":{\"p50\":0,\"p99\":0}},\"own\":{\"usage\":\"0\",\"reservation\":\"2\",\"limit\":\"2\",\"waitSeconds\":{\"p50\":0,\"p99\":0}}},\"pools\":{\"p\":{\"used\":\"0\",\"capacity\":\"2\"}}}");
  }

  @Test
  void plansNothingWithTheInstanceOfAStaticPool() {
    String jobs =
        events("{at: 0s, submit: {queue: own, job: a, count: 4, duration: 10s}}")
            + "options: {until: 1h}\n";
    String stated = "pools: [{name: p, storage: shared, instance: {gpus: 64, gpuModel: H100}}]";

    assertThat(lines(ONE_POLICY.replace("pools: [{name: p}]", stated) + jobs))
        .isEqualTo(lines(ONE_POLICY + jobs));
  }

  @Test
  void printsTheWorkersOfAGang() {
    assertThat(run("{at: 0s, submit: {queue: own-pair, job: g, duration: 1s}}").getFirst())
        .isEqualTo(
            "{\"at\":\"0s\",\"event\":\"start\",\"job\":\"g\",\"attempt\":1,\"queue\":\"own-pair\",\"pool\":\"p\",\"workers\":[{\"node\":\"n\",\"devices\":[{\"index\":0,\"gpus\":\"1\"}]},{\"node\":\"n\",\"devices\":[{\"index\":1,\"gpus\":\"1\"}]}]}");
  }

  @Test
  void aPreemptedJobStartsAnewUnlessItSavesItsWork() {
    String event = "{at: 0s, submit: {queue: guest, job: g, count: 2, duration: 100s%s}}";
    String owner = "{at: 59s, submit: {queue: own, job: o, count: 2, duration: 10s}}";

    assertThat(brief(run(event.formatted(""), owner)))
        .contains("69s start g-0", "169s finish g-0", "169s finish g-1");
    assertThat(brief(run(event.formatted(", checkpoint: 25s"), owner)))
        .contains("69s start g-0", "119s finish g-0", "119s finish g-1");
    assertThat(run(event.formatted(", checkpoint: 25s"), owner).getLast())
        .contains("\"lost\":\"18\"");
  }

  @Test
  void freesCapacityWhenTheStopIsOver() {
    List<String> lines =
        brief(
            lines(
                ONE_POLICY
                    + events(
                        "{at: 0s, submit: {queue: guest, job: g, count: 2}}",
                        "{at: 10s, submit: {queue: own, job: o, duration: 1s}}")
                    + "options: {stopTime: 30s, until: 1m}\n"));

    assertThat(lines)
        .containsSequence("10s preempt g-1", "10s wait o", "40s stop g-1", "40s start o")
        .contains("41s finish o", "41s start g-1");
  }

  @Test
  void endsAtTheGivenTimeAndCountsUntilThen() {
    Result result =
        SimulateCli.scenario(
            ONE_POLICY + events("{at: 0s, submit: {queue: own, job: a}}"), "--until", "1h");

    assertThat(result.out().lines().toList().getLast())
        .contains("\"until\":\"3600s\"", "\"capacity\":\"7200\",\"used\":\"3600\"");
  }

  @Test
  void beginsWithWhatRunsAndWaits() {
    List<String> lines =
        brief(
            lines(
                ONE_POLICY
                    + """
                    running:
                      - {queue: guest, job: old, node: n, devices: [{index: 1, gpus: 1}], startedAgo: 2h, duration: 3h}
                      - {queue: guest, job: due, node: n, devices: [{index: 0, gpus: 1}], startedAgo: 2h, duration: 1h}
                    waiting:
                      - {queue: guest, job: w, waitedSince: 10m, duration: 1m}
                    """));

    assertThat(lines)
        .containsExactly("0s finish due", "0s start w", "60s finish w", "3600s finish old");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "5/7, slice: 3g@4 | its places are 1g@0,",
        "1/2, slice: 3g@0 | its places are 1g@0,",
        "1/2, slice: 1g@6 | give it a larger slice",
        "3/7, slice: 9g@0 | its places are 1g@0,",
        "1/2 | give it another device",
      })
  void refusesASliceThatNobodyCanHave(String gpus, String remedy) {
    Result result =
        SimulateCli.scenario(
            ONE_POLICY.replace("gpus: 2}]", "gpus: 2, geometry: mig}]")
                + """
                running:
                  - {queue: guest, job: old, node: n, devices: [{index: 0, gpus: 1/7, slice: 1g@4}]}
                  - {queue: guest, job: other, node: n, devices: [{index: 0, gpus: 1/7, slice: 1g@0}]}
                  - {queue: guest, job: wrong, node: n, devices: [{index: 0, gpus: %s}]}
                """
                    .formatted(gpus));

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("SLICE_TAKEN", "running job wrong on n-gpu-0", remedy);
  }

  @Test
  void aFailedMachineGivesItsJobsBackToTheirQueues() {
    assertThat(
            brief(
                run(
                    "{at: 0s, submit: {queue: own, job: a, duration: 1m}}",
                    "{at: 30s, nodeDown: n}",
                    "{at: 50s, nodeUp: n}")))
        .containsExactly("0s start a", "30s stop a", "30s wait a", "50s start a", "110s finish a");
  }

  @Test
  void rentsMachinesAndGivesThemBack() {
    String scenario =
        """
        apiVersion: headgate/v1
        kind: Scenario
        configuration:
          pools:
            - name: cloud
              type: elastic
              provider: exec
              instance: {gpus: 2}
              maxInstances: 2
              idleTimeout: 10m
          profiles: [{name: one, gpus: 1, pools: [cloud]}]
          policies: [{name: own, limit: 4, queues: [{name: own, profile: one}]}]
        options: {provisionTime: 90s}
        """;

    List<String> lines =
        lines(scenario + events("{at: 0s, submit: {queue: own, job: a, count: 3, duration: 1m}}"));

    assertThat(lines)
        .contains(
            "{\"at\":\"0s\",\"event\":\"scale\",\"pool\":\"cloud\",\"instances\":2}",
            "{\"at\":\"90s\",\"event\":\"join\",\"pool\":\"cloud\",\"node\":\"cloud-0\"}",
            "{\"at\":\"750s\",\"event\":\"leave\",\"pool\":\"cloud\",\"node\":\"cloud-1\"}");
    assertThat(brief(lines))
        .contains("0s wait a-0", "90s start a-0", "90s start a-2", "150s finish a-2");
  }

  @Test
  void endsAlthoughTheCoreLooksAgainFromTimeToTimeAtAJobThatWaits() {
    String scenario =
        """
        apiVersion: headgate/v1
        kind: Scenario
        configuration:
          pools: [{name: p}, {name: c, type: elastic, provider: exec, instance: {gpus: 1}, maxInstances: 1}]
          profiles: [{name: one, gpus: 1, pools: [p, c]}, {name: two, gpus: 2, pools: [p]}]
          policies:
            - {name: own, reservation: 1, limit: 3, queues: [{name: own, profile: one, overReservation: deny}]}
            - {name: guest, limit: 2, queues: [{name: guest, profile: two}]}
        nodes: [{name: n, pool: p, gpus: 2}]
        """;

    assertThat(
            lines(
                scenario
                    + events(
                        "{at: 0s, submit: {queue: guest, job: g}}",
                        "{at: 1s, submit: {queue: own, job: o, count: 3}}")))
        .last()
        .asString()
        .contains("\"summary\"");
  }

  @Test
  void cancelsWhateverTheJobDoes() {
    assertThat(
            brief(
                run(
                    "{at: 0s, submit: {queue: own, job: a, count: 3}}",
                    "{at: 1s, cancel: a-2}",
                    "{at: 2s, cancel: a-0}",
                    "{at: 3s, cancel: a-0}",
                    "{at: 4s, submit: {queue: own, job: b}}",
                    "{at: 4s, cancel: b}")))
        .containsExactly(
            "0s start a-0",
            "0s start a-1",
            "0s wait a-2",
            "1s cancel a-2",
            "2s stop a-0",
            "4s cancel b");
  }

  @Test
  void tellsOnceOfAJobThatCanNeverStartAndStartsItWhenThatChanges() {
    List<String> lines =
        run(
            "{at: 0s, set: {pool: p, capacity: 1}}",
            "{at: 1s, submit: {queue: own-pair, job: g, duration: 1s}}",
            "{at: 2s, set: {policy: guest, limit: 1}}",
            "{at: 3s, set: {pool: p, capacity: null}}");

    assertThat(lines.getFirst())
        .isEqualTo(
            "{\"at\":\"1s\",\"event\":\"wait\",\"job\":\"g\",\"reason\":\"NEVER_FITS\",\"detail\":{\"pool\":\"p\",\"need\":\"2\",\"capacity\":\"1\"}}");
    assertThat(brief(lines)).containsExactly("1s wait g", "3s start g", "4s finish g");
  }

  @Test
  void refusesAMalformedScenarioWithItsPlace() {
    Result result = SimulateCli.scenario(ONE_POLICY + events("{at: 0s, cancel: nobody}"));

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .contains("JOB_NOT_FOUND", "standard-input:17:22  events[0].cancel", "nobody")
        .endsWith("1 error. Nothing was simulated.\n");
  }

  @Test
  void showsTheFirstLineThatIsNotAsExpected(@TempDir Path directory) throws IOException {
    Path scenario = directory.resolve("s.yaml");
    Path lines = directory.resolve("s.jsonl");
    Files.writeString(scenario, ONE_POLICY + events("{at: 0s, submit: {queue: own, job: a}}"));
    Result printed = SimulateCli.run(scenario.toString());
    Files.writeString(lines, printed.out());

    Result same = SimulateCli.run(scenario.toString(), "--expect", lines.toString());
    assertThat(same.exitCode()).isZero();
    assertThat(same.out()).isEmpty();

    Files.writeString(lines, printed.out().replace("\"a\"", "\"b\""));
    Result other = SimulateCli.run(scenario.toString(), "--expect", lines.toString());
    assertThat(other.exitCode()).isEqualTo(1);
    assertThat(other.err())
        .contains("NOT_AS_EXPECTED", "s.jsonl:1", "expected  {", "\"job\":\"b\"", "printed   {");

    Files.writeString(lines, printed.lines().getFirst() + "\n");
    assertThat(SimulateCli.run(scenario.toString(), "--expect", lines.toString()).err())
        .contains("expected  no more lines");
  }

  @Test
  void saysWhatAnotherConfigurationWouldDo(@TempDir Path directory) throws IOException {
    Path scenario = directory.resolve("now.yaml");
    Path configuration = directory.resolve("new.yaml");
    Files.writeString(
        scenario,
        ONE_POLICY
            + """
            running:
              - {queue: guest, job: g-0, node: n, devices: [{index: 0}], startedAgo: 2h, duration: 3h}
              - {queue: guest, job: g-1, node: n, devices: [{index: 1}], startedAgo: 1h, duration: 3h}
            waiting:
              - {queue: guest, job: w, waitedSince: 1m, duration: 1m}
            options: {until: 5h}
            """);
    Files.writeString(
        configuration,
        """
        apiVersion: headgate/v1
        kind: Configuration
        groups: [{name: all}]
        pools: [{name: p}]
        profiles: [{name: one, gpus: 1, pools: [p]}]
        policies:
          - {name: own, group: all, limit: 2}
          - {name: guest, group: all, limit: 1, queues: [{name: guest, profile: one}]}
        """);

    Result same = SimulateCli.run(scenario.toString(), "--plan", configuration.toString());

    assertThat(same.exitCode()).isZero();
    assertThat(same.out())
        .contains("no job starts, stops or waits because of it")
        .contains("over limit  guest  uses 2 of limit 1: running jobs continue, no more start\n")
        .contains("guest   2      0            2 -> 1", "own     0      2 -> 0       2");

    Files.writeString(
        configuration,
        Files.readString(configuration).replace("{name: p}", "{name: p}, {name: q}"));
    Files.writeString(
        scenario,
        Files.readString(scenario).replace("nodes: [", "nodes: [{name: m, pool: p, gpus: 1}, "));
    Files.writeString(
        configuration, Files.readString(configuration).replace("limit: 1,", "limit: 3,"));
    assertThat(SimulateCli.run(scenario.toString(), "--plan", configuration.toString()).out())
        .contains(
            "starts  1  w  on m:0 (p)",
            "guest   2 -> 3  0            2 -> 3  1 -> 0   1h -> 0s  1h -> 0s");
  }

  @Test
  void showsPeopleWhatTheyAskFor() {
    String scenario = "examples/reclaim.yaml";

    assertThat(SimulateCli.run(scenario, "--view", "gantt").out())
        .contains("a-0:6-8  r-2  ██████████ d\n", "fixed point reached")
        .contains("█ runs   ▓ is being stopped for the job whose name follows\n");
    assertThat(SimulateCli.run(scenario, "--view", "timeline").out())
        .contains("20s  r-1  is preempted by e (rule P1)\n");
    assertThat(SimulateCli.run(scenario, "--view", "summary").out())
        .contains("rnd     3      5            9", "r-3 r-4 r-2")
        .contains("waits are of jobs that started; 2 jobs never did\n");
    assertThat(SimulateCli.run(scenario, "--explain", "r-1@20s").out())
        .contains("waits for CAPACITY", "P1 entitled  NO  rnd 3 + needs 3 = 6 > reservation 5");
    assertThat(SimulateCli.run(scenario, "--explain", "r-1@20s").out())
        .contains("Its start is unknown: jobs in its way have not declared how long they run");
    assertThat(SimulateCli.run(scenario, "--explain", "r-1@5s").out())
        .contains("at 5s r-1 runs on a-0:3-5 of onprem");
    assertThat(SimulateCli.run(scenario, "--compare", "examples/two-pools.yaml").out())
        .contains("preemptions", "STARTS");
    assertThat(SimulateCli.run(scenario, "--view", "gant").err()).contains("did you mean gantt?");
    assertThat(SimulateCli.run(scenario, "--explain", "r-1").exitCode()).isEqualTo(2);
    assertThat(SimulateCli.run(scenario, "--explain", "x@1s").err()).contains("JOB_NOT_FOUND");
  }

  private static List<String> run(String... events) {
    return lines(ONE_POLICY + events(events));
  }

  private static List<String> lines(String scenario) {
    Result result = SimulateCli.scenario(scenario);
    assertThat(result.err()).isEmpty();
    return result.lines();
  }

  private static String events(String... events) {
    return "events:\n  - " + String.join("\n  - ", events) + "\n";
  }

  /// `10s wait r-3` of each line but the summary.
  private static List<String> brief(List<String> lines) {
    return lines.stream()
        .filter(line -> !line.contains("\"summary\""))
        .flatMap(line ->
            Stream.of(
                line.replaceAll(
                    "\\{\"at\":\"([^\"]*)\",\"event\":\"([^\"]*)\",\"job\":\"([^\"]*)\".*",
                    "$1 $2 $3")))
        .toList();
  }

  @Test
  void refusesAnOutputFormRatherThanIgnoreIt() {
    for (String form : List.of("json", "yaml", "table")) {
      Result refused = SimulateCli.run("examples/night.yaml", "-o", form);
      assertThat(refused.exitCode()).isEqualTo(2);
      assertThat(refused.out()).isEmpty();
      assertThat(refused.err()).contains("simulate has no output form", form, "FLAGS_CONFLICT");
    }
    assertThat(SimulateCli.run("examples/night.yaml", "--view", "gantt", "-o", "jsonl").exitCode())
        .isEqualTo(2);
    Result plain = SimulateCli.run("examples/night.yaml");
    assertThat(SimulateCli.run("examples/night.yaml", "-o", "jsonl")).isEqualTo(plain);
  }
}

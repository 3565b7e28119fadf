package io.headgate.sdk.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A scenario that cannot be simulated is refused with line, key, value and remedy.
class ScenarioMistakesTest {
  private static final String HEAD =
      """
      apiVersion: headgate/v1
      kind: Scenario
      configuration:
        pools: [{name: onprem}, {name: cloud}]
        profiles: [{name: three, gpus: 3, pools: [onprem]}]
        policies:
          - {name: rnd, reservation: 5, limit: 9, queues: [{name: rnd-3, profile: three}]}
      nodes: [{name: a, count: 2, pool: onprem, gpus: 8}]
      """;

  /// One mistake in line 10 or below, after a submission of `r-0` to `r-4` in line 10.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "{at: 1s, submit: {queue: rnd-4, job: x}} | QUEUE_NOT_FOUND | events[1].submit.queue |"
            + " rnd-4 | did you mean rnd-3?",
        "{at: 1s, cancel: r-5} | JOB_NOT_FOUND | events[1].cancel | r-5 | did you mean r-0?",
        "{at: 1s, cancel: r} | JOB_NOT_FOUND | events[1].cancel | r | submit it in an event above"
            + " this one",
        "{at: 1s, nodeDown: a-2} | NODE_NOT_FOUND | events[1].nodeDown | a-2 | did you mean a-0?",
        "{at: 1s, nodeUp: a} | NODE_NOT_FOUND | events[1].nodeUp | a | declare it under nodes",
        "{at: 1s, submit: {queue: rnd-3, job: r-3}} | NAME_TAKEN | events[1].submit.job | r-3 |"
            + " rename one of them",
        "{at: 1s, submit: {queue: rnd-3, job: x, duration: 1x}} | BAD_VALUE |"
            + " events[1].submit.duration | 1x | write for example 90s, 15m or 2h",
        "{at: 1s, submit: {queue: rnd-3, job: x, checkpoint: 0s}} | BAD_VALUE |"
            + " events[1].submit.checkpoint | 0s | write for example 10m, or leave it out",
        "{at: 1s, submit: {queue: rnd-3, job: x, gpus: 1}} | UNKNOWN_KEY | events[1].submit.gpus |"
            + " gpus | -",
        "{at: 1s, submit: {queue: rnd-3, job: x, count: 0}} | BAD_VALUE | events[1].submit.count |"
            + " 0 | write a number from 1 to 2000000",
        "{at: 1s, submit: {queue: rnd-3, job: 'a b'}} | BAD_VALUE | events[1].submit.job | a b | -",
        "{at: 1s, submit: {job: x}} | MISSING_KEY | events[1].submit.queue | - | name the queue it"
            + " is submitted to",
        "{at: 1s, submits: {job: x}} | UNKNOWN_KEY | events[1].submits | submits | did you mean"
            + " submit?",
        "{at: 1s, set: {policy: rmd, limit: 3}} | POLICY_NOT_FOUND | events[1].set.policy | rmd |"
            + " did you mean rnd?",
        "{at: 1s, set: {policy: rnd, limits: 3}} | UNKNOWN_KEY | events[1].set.limits | limits |"
            + " did you mean limit?",
        "{at: 1s, set: {policy: rnd, limit: 1/11}} | INEXACT_QUANTITY | events[1].set.limit | 1/11"
            + " | -",
        "{at: 1s, set: {policy: rnd, limit: 3}} | RESERVATION_ABOVE_LIMIT | events[1].set | 5 |"
            + " lower the reservation to 3, or raise the limit",
        "{at: 1s, set: {policy: rnd, name: x}} | UNKNOWN_KEY | events[1].set.name | name |"
            + " provision a new object with the other name",
        "{at: 1s, set: {limit: 3}} | MISSING_KEY | events[1].set | - | write for example set:"
            + " {policy: NAME, limit: 3}",
        "{at: 1s, set: {pool: onprm, capacity: 3}} | POOL_NOT_FOUND | events[1].set.pool | onprm |"
            + " did you mean onprem?",
        "{at: 1s, set: {profile: three, pools: [nowhere]}} | POOL_NOT_FOUND |"
            + " events[1].set.pools[0] | nowhere | -",
        "{at: 1s, set: {queue: rnd-33, policy: rnd, rank: 2}} | QUEUE_NOT_FOUND |"
            + " events[1].set.queue | rnd-33 | did you mean rnd-3?",
        "{at: 1s, set: {queue: rnd-3, policy: rnd, rank: 0}} | BAD_VALUE | events[1].set.rank | 0 |"
            + " -",
        "{at: 1s, provision: {pools: [{name: cloud}]}} | POOL_NOT_FOUND | events[1].provision |"
            + " onprem | -",
        "{at: 1s, provision: {policies: []}} | UNKNOWN_KEY | events[1].provision.policies |"
            + " policies | pools or profiles",
        "{at: 1s} | MISSING_KEY | events[1] | - | -",
        "{at: 1s, cancel: r-0, nodeUp: a-0} | KEY_NOT_ALLOWED | events[1] | - | make them events of"
            + " their own at the same time",
        "{cancel: r-0} | MISSING_KEY | events[1].at | - | say when it happens: at: 10s",
      })
  void refusesAnEvent(String event, String reason, String field, String value, String next) {
    Problem problem =
        only(HEAD + events("{at: 0s, submit: {queue: rnd-3, job: r, count: 5}}", event));

    assertThat(problem.reason()).as(problem.toString()).isEqualTo(reason);
    assertThat(problem.field()).isEqualTo(field);
    assertThat(problem.value()).isEqualTo(value);
    assertThat(problem.span()).isNotNull();
    assertThat(problem.span().line()).isEqualTo(11);
    if (next != null) {
      assertThat(problem.next()).isEqualTo(next);
    } else {
      assertThat(problem.message()).isNotEmpty();
    }
  }

  @Test
  void refusesEventsOutOfTimeOrder() {
    Problem problem =
        only(
            HEAD
                + events(
                    "{at: 20s, nodeDown: a-0}",
                    "{at: 10s, nodeUp: a-0}",
                    "{at: 30s, nodeUp: a-1}"));

    assertThat(problem.reason()).isEqualTo("OUT_OF_ORDER");
    assertThat(problem.field()).isEqualTo("events[1].at");
    assertThat(problem.value()).isEqualTo("10s");
    assertThat(problem.note()).isEqualTo("10s is before 20s in line 10");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{queue: rnd-3, job: old, node: a-7, devices: [{index: 0, gpus: 1}]} | NODE_NOT_FOUND |"
            + " running[0].node",
        "{queue: rnd-3, job: old, node: a-0, devices: [{index: 8, gpus: 1}]} | BAD_VALUE |"
            + " running[0].devices[0].index",
        "{queue: rnd-3, job: old, node: a-0, devices: [{gpus: 1}]} | MISSING_KEY |"
            + " running[0].devices[0].index",
        "{queue: rnd-3, job: old, node: a-0, devices: [{index: 0, gpus: 1}, {index: 0, gpus: 1/2}]}"
            + " | DEVICE_TAKEN | running[0].devices[1]",
        "{queue: rnd-3, job: old, node: a-0, devices: [{index: 0, gpus: 1/2, slice: 3g@4}]} |"
            + " BAD_VALUE | running[0].devices[0].slice",
        "{queue: rnd-3, job: old, node: a-0, devices: [{index: 0, gpus: 0}]} | BAD_VALUE |"
            + " running[0].devices[0].gpus",
        "{queue: rnd-3, job: old, node: a-0, devices: [{index: -1, gpus: 1}]} | BAD_VALUE |"
            + " running[0].devices[0].index",
        "{queue: rnd-3, job: old, node: a-0, devices: [{index: 0, gpus: -1}]} | BAD_VALUE |"
            + " running[0].devices[0].gpus",
        "{queue: rnd-3, job: old, node: a-0, devices: [], attempt: 0} | BAD_VALUE |"
            + " running[0].attempt",
        "{queue: rnd-3, job: old, node: a-0, devices: {index: 0}} | WRONG_TYPE |"
            + " running[0].devices",
        "{queue: rnd-3, job: old, devices: []} | MISSING_KEY | running[0].node",
        "{queue: rnd-3, job: old, node: a-0, workers: [{node: a-0, devices: []}]} | KEY_NOT_ALLOWED"
            + " | running[0].workers",
        "{queue: rnd-3, job: old, node: a-0, devices: [], startedAgo: soon} | BAD_VALUE |"
            + " running[0].startedAgo",
      })
  void refusesARunningJob(String job, String reason, String field) {
    Problem problem = only(HEAD + "running:\n  - " + job + "\n");

    assertThat(problem.reason()).as(problem.toString()).isEqualTo(reason);
    assertThat(problem.field()).isEqualTo(field);
    assertThat(problem.span()).isNotNull();
    assertThat(problem.span().line()).isEqualTo(10);
    assertThat(problem.next()).isNotEmpty();
  }

  @Test
  void refusesAnybodyWhomNoGroupNamesOnceThereAreGroups() {
    String text =
        HEAD.replace("  pools:", "  groups: [{name: rnd, users: [alice]}]\n  pools:")
            .replace("{name: rnd, res", "{name: rnd, group: rnd, res");

    Problem stranger = only(text + events("{at: 0s, submit: {queue: rnd-3, job: x, user: bob}}"));
    assertThat(stranger.reason()).isEqualTo("NOT_ADMITTED");
    assertThat(stranger.value()).isEqualTo("bob");

    Problem nobody = only(text + events("{at: 0s, submit: {queue: rnd-3, job: x}}"));
    assertThat(nobody.field()).isEqualTo("events[0].submit.user");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "kind: Scenario | kind: Configuration | 2 | WRONG_KIND",
        "nodes: [{name: a | nodes: [{name: a-1, pool: onprem}, {name: a | 8 | NAME_TAKEN",
        "count: 2, pool: onprem | count: 2, pool: onpren | 8 | POOL_NOT_FOUND",
        "gpus: 8}] | gpus: 8, geometry: mug}] | 8 | BAD_VALUE",
        "gpus: 8}] | gpus: 8, cpu: 4}] | 8 | UNKNOWN_KEY",
        "limit: 9 | limit: 4 | 7 | RESERVATION_ABOVE_LIMIT",
        "apiVersion: headgate/v1 | apiVersion: headgate/v2 | 1 | BAD_VALUE",
      })
  void refusesTheRestOfTheFile(String right, String wrong, int line, String reason) {
    Problem problem = only(HEAD.replace(right, wrong));

    assertThat(problem.reason()).as(problem.toString()).isEqualTo(reason);
    assertThat(problem.span()).isNotNull();
    assertThat(problem.span().line()).isEqualTo(line);
  }

  @Test
  void refusesASliceThatIsNoPlace() {
    String text = HEAD.replace("gpus: 8}]", "gpus: 8, geometry: mig}]");
    Problem problem =
        only(
            text
                + "running:\n  - {queue: rnd-3, job: old, node: a-0, devices: [{index: 0, gpus:"
                + " 1/2, slice: 3g}]}\n");
    assertThat(problem.reason()).isEqualTo("BAD_VALUE");
    assertThat(problem.field()).isEqualTo("running[0].devices[0].slice");
    assertThat(problem.next()).contains("write size@first memory slice, such as 3g@4");
  }

  @Test
  void refusesAFileWithoutConfiguration() {
    Problem problem = only("apiVersion: headgate/v1\nkind: Scenario\nnodes: []\n");

    assertThat(problem.field()).isEqualTo("configuration");
  }

  @Test
  void reportsAllMistakesAtOnce() {
    ConfigurationException refusal =
        refusal(HEAD + events("{at: 1s, nodeUp: b}", "{at: soon, cancel: x}", "{at: 1s}"));

    assertThat(refusal.problems())
        .extracting(Problem::reason)
        .containsExactly("NODE_NOT_FOUND", "BAD_VALUE", "JOB_NOT_FOUND", "MISSING_KEY");
  }

  /// The reader refuses the number at once and makes no such number of jobs.
  @Test
  void refusesMoreThanAMachineCanHold() {
    String jobs =
        HEAD + "waiting:\n" + lines(300, "  - {queue: rnd-3, job: j%d, count: 2000000}\n");
    Problem tooManyJobs = only(jobs);
    assertThat(tooManyJobs.reason()).isEqualTo("TOO_MANY_JOBS");
    assertThat(tooManyJobs.span()).isNotNull();
    assertThat(tooManyJobs.span().line()).isEqualTo(11);

    String nodes = "nodes:\n" + lines(300, "  - {name: b%d, pool: onprem, count: 200000}\n");
    Problem tooManyNodes = only(HEAD.replaceFirst("(?s)nodes:.*", nodes));
    assertThat(tooManyNodes.reason()).isEqualTo("TOO_MANY_NODES");
    assertThat(tooManyNodes.field()).isEqualTo("nodes[b1]");

    Problem tooManyDevices =
        only(
            HEAD.replace("count: 2, pool", "count: 200000, gpus: 64, pool")
                .replace(", gpus: 8}", "}"));
    assertThat(tooManyDevices.reason()).isEqualTo("TOO_MANY_DEVICES");
    assertThat(tooManyDevices.note()).isEqualTo("the limit is passed here");
  }

  @Test
  void refusesWhatIsNestedTooDeepWithoutDescendingIntoIt() {
    String deep = HEAD + "waiting: " + "[".repeat(200_000) + "]".repeat(200_000) + "\n";

    Problem problem = only(deep);

    assertThat(problem.reason()).isEqualTo("MALFORMED_YAML");
    assertThat(problem.message()).contains("nested deeper than 32 levels");
    assertThat(problem.span()).isNotNull();
    assertThat(problem.span().line()).isEqualTo(9);
    assertThat(only(HEAD + "waiting: &a\n  - *a\n").message())
        .as("an anchor within itself has no end")
        .contains("nested deeper than 32 levels");
  }

  private static String lines(int count, String format) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < count; i++) {
      lines.append(format.formatted(i));
    }
    return lines.toString();
  }

  @Test
  void saysWhereTheTextIsNoYaml() {
    assertThatThrownBy(() -> ScenarioReader.read("s.yaml", HEAD + "events: [{at: 0s\n"))
        .isInstanceOf(ConfigurationException.class);
  }

  private static String events(String... events) {
    return "events:\n  - " + String.join("\n  - ", events) + "\n";
  }

  private static Problem only(String text) {
    ConfigurationException refusal = refusal(text);
    assertThat(refusal.problems()).hasSize(1);
    return refusal.problems().getFirst();
  }

  private static ConfigurationException refusal(String text) {
    return catchThrowableOfType(
        ConfigurationException.class, () -> ScenarioReader.read("scenario.yaml", text));
  }
}

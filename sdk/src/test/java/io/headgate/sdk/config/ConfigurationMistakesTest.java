package io.headgate.sdk.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every mistake is reported at its place, with its reason, its message and its remedy.
class ConfigurationMistakesTest {
  private static final String POOLS = "pools: [{name: p}]\n";
  private static final String HALF = "profiles: [{name: half, gpus: 1/2, pools: [p]}]\n";
  private static final String GROUPS = "groups: [{name: g, users: [ada]}]\n";
  private static final String HEAD = "apiVersion: headgate/v1\nkind: Configuration\n";

  /// Expected: `line:column reason field | message | note or why | next`, one line per problem.
  record Case(String name, String text, String... expected) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> form() {
    return Stream.of(
        new Case(
            "malformed YAML",
            HEAD + "pools:\n  - name: a\n   gpuModel: b\n",
            "5:4 MALFORMED_YAML  | the indentation does not fit the lines above | here | -"),
        new Case(
            "tab",
            HEAD + "pools:\n\t- name: a\n",
            "4:1 MALFORMED_YAML  | a tab is used for indentation; YAML wants spaces | here | -"),
        new Case("empty file", "", "- MALFORMED_YAML  | the file is empty | - | -"),
        new Case(
            "two documents",
            HEAD + "---\n" + HEAD,
            "4:1 MALFORMED_YAML  | a second document begins here; a file holds one | here | -"),
        new Case(
            "no mapping",
            "- a\n- b\n",
            "1:1 WRONG_TYPE the file | the file must be a mapping of keys to values | this is a"
                + " list | write {KEY: VALUE, …}"),
        new Case(
            "wrong apiVersion",
            "apiVersion: headgate/v2\nkind: Configuration\n",
            "1:13 BAD_VALUE apiVersion | \"headgate/v2\" is not supported | is not supported |"
                + " write apiVersion: headgate/v1"),
        new Case(
            "another kind of file",
            "apiVersion: headgate/v1\nkind: Scenario\nconfiguration: {}\nevents: []\n",
            "2:7 WRONG_KIND kind | this is a simulation scenario, not a configuration | - |"
                + " headgate simulate c.yaml"),
        new Case(
            "unknown key with a near one",
            HEAD + "profile: []\n",
            "3:1 UNKNOWN_KEY profile | unknown key \"profile\" | not a key of a configuration |"
                + " did you mean profiles?"),
        new Case(
            "unknown key",
            HEAD + "groups:\n  - {name: a, colour: red}\n",
            "4:15 UNKNOWN_KEY groups[a].colour | unknown key \"colour\" | not a key of groups[a] |"
                + " name, users, serviceAccounts or leads"),
        new Case(
            "lead outside of the group",
            HEAD + "groups:\n  - {name: a, users: [ada], leads: [adb]}\n",
            "4:37 USER_NOT_FOUND groups[a].leads[0] | user \"adb\" is not declared in this file |"
                + " no such user | did you mean ada?"),
        new Case(
            "key twice",
            HEAD + "groups:\n  - {name: a, name: b}\n",
            "4:15 DUPLICATE_KEY groups[a].name | key \"name\" is given twice | the second one |"
                + " keep one of them"),
        new Case(
            "list where a value is wanted",
            HEAD + "groups:\n  - {name: [a]}\n",
            "4:12 WRONG_TYPE groups[0].name | groups[0].name must be a single value | this is a"
                + " list | write one value, without brackets and braces"),
        new Case(
            "value where a list is wanted",
            HEAD + "groups:\n  - {name: a, users: ada}\n",
            "4:22 WRONG_TYPE groups[a].users | groups[a].users must be a list | this is a single"
                + " value | put it in brackets: […]"),
        new Case(
            "mapping where a name is wanted",
            HEAD + "groups:\n  - {name: a, users: [{name: ada}]}\n",
            "4:23 WRONG_TYPE groups[a].users[0] | groups[a].users[0] must be a name | this is a"
                + " mapping | write one value, without brackets and braces"));
  }

  static Stream<Case> values() {
    return Stream.of(
        new Case(
            "bad name",
            HEAD + "groups:\n  - name: AI Dev\n",
            "4:11 BAD_NAME groups[0].name | \"AI Dev\" cannot be a name | not a name | names have"
                + " 1 to 63 lower-case letters, digits and hyphens, starting with a letter"),
        new Case(
            "no name",
            HEAD + "groups:\n  - users: [ada]\n",
            "4:5 MISSING_KEY groups[0].name | groups[0] has no name | - | give the group a name"),
        new Case(
            "malformed quantity",
            HEAD + "pools:\n  - {name: p, capacity: lots}\n",
            "4:25 BAD_VALUE pools[p].capacity | \"lots\" is not a GPU quantity | is not a GPU"
                + " quantity | write a number of GPUs such as 4, 0.5 or 1/7"),
        new Case(
            "inexact decimal",
            HEAD + "pools:\n  - {name: p, capacity: 0.1234567}\n",
            "4:25 INEXACT_QUANTITY pools[p].capacity | 0.1234567 GPU cannot be represented exactly"
                + " | GPU quantities are multiples of 1/126000; 0.1234567 lies between"
                + " 15555/126000 and 15556/126000 | 0.123 or 0.124"),
        new Case(
            "more than one GPU, not whole",
            HEAD + "pools: [{name: p}]\nprofiles:\n  - {name: a, gpus: 3/2, pools: [p]}\n",
            "5:21 NOT_WHOLE profiles[a].gpus | more than one GPU must be whole, 3/2 is not |"
                + " between 1 and 2 | write 1 or 2"),
        new Case(
            "bytes without unit",
            HEAD
                + "pools: [{name: p}]\nprofiles:\n  - {name: a, gpus: 1, memory: 16, pools: [p]}\n",
            "5:32 BAD_VALUE profiles[a].memory | \"16\" is not an amount of memory | is not an"
                + " amount of memory | write for example 16GiB"),
        new Case(
            "duration",
            HEAD
                + "pools: [{name: p}]\n"
                + "profiles:\n"
                + "  - {name: a, gpus: 1, holdAfter: 10, pools: [p]}\n",
            "5:35 BAD_VALUE profiles[a].holdAfter | \"10\" is not a duration | is not a duration |"
                + " write for example 90s, 15m or 2h"),
        new Case(
            "cpus",
            HEAD + "pools: [{name: p}]\nprofiles:\n  - {name: a, gpus: 1, cpus: 4k, pools: [p]}\n",
            "5:30 BAD_VALUE profiles[a].cpus | \"4k\" is not a number of CPUs | is not a number of"
                + " CPUs | write for example 4 or 0.5"),
        new Case(
            "keyword with a near one",
            HEAD + "pools:\n  - {name: p, type: elastik}\n",
            "4:21 BAD_VALUE pools[p].type | \"elastik\" is not one of static, elastic | is not one"
                + " of static, elastic | did you mean elastic?"),
        new Case(
            "number out of range",
            HEAD
                + "pools: [{name: p}]\nprofiles:\n  - {name: a, gpus: 1, workers: 0, pools: [p]}\n",
            "5:33 BAD_VALUE profiles[a].workers | \"0\" is not a whole number from 1 to 10000 | is"
                + " not a whole number from 1 to 10000 | write a number from 1 to 10000"),
        new Case(
            "flag",
            HEAD
                + "groups: [{name: g}]\n"
                + "policies:\n"
                + "  - {name: p, group: g, limit: 1, preemptible: yes}\n",
            "5:48 BAD_VALUE policies[p].preemptible | \"yes\" is neither true nor false | is"
                + " neither true nor false | write true or false"),
        new Case(
            "patterns of a vault",
            HEAD + "groups: [{name: g}]\nvaults:\n  - {name: v, groups: [h], images: [busybox]}\n",
            "5:24 GROUP_NOT_FOUND vaults[v].groups[0] | group \"h\" is not declared in this file |"
                + " no such group | did you mean g?",
            "5:37 BAD_VALUE vaults[v].images[0] | image pattern 'busybox' is not of the form"
                + " registry.example/path/name:tag, with * behind the registry | not a pattern |"
                + " -"),
        new Case(
            "price and currency",
            HEAD + "pools:\n  - {name: p, pricePerGpuHour: 1.20 USD, currency: dollars}\n",
            "4:32 BAD_VALUE pools[p].pricePerGpuHour | \"1.20 USD\" is not a price | is not a"
                + " price | write a decimal number such as 1.20",
            "4:52 BAD_VALUE pools[p].currency | \"dollars\" is not a currency code | is not a"
                + " currency code | write for example USD or EUR"));
  }

  static Stream<Case> meaning() {
    return Stream.of(
        new Case(
            "name taken",
            HEAD + "pools:\n  - {name: p}\n  - {name: p}\n",
            "5:12 NAME_TAKEN pools[p].name | pool \"p\" is declared twice | taken in line 4 |"
                + " rename or remove one of them"),
        new Case(
            "queue name taken in another policy",
            HEAD
                + GROUPS
                + POOLS
                + HALF
                + "policies:\n"
                + "  - {name: a, group: g, limit: 1, queues: [{name: q, profile: half}]}\n"
                + "  - {name: b, group: g, limit: 1, queues: [{name: q, profile: half}]}\n",
            "8:51 NAME_TAKEN policies[b].queues[q].name | queue \"q\" is declared twice | taken in"
                + " line 7 | rename or remove one of them"),
        new Case(
            "listed twice",
            HEAD + "groups:\n  - {name: g, users: [ada, ada]}\n",
            "4:28 DUPLICATE_NAME groups[g].users[1] | \"ada\" is listed twice | listed before |"
                + " keep one of them"),
        new Case(
            "profile without a pool",
            HEAD + "profiles:\n  - {name: a, gpus: 1}\n",
            "4:5 PROFILE_WITHOUT_POOL profiles[a].pools | profile \"a\" has no pool to run in | its"
                + " jobs could never start | name its pools in routing order: pools: [NAME, …]"),
        new Case(
            "dangling pool",
            HEAD + "pools: [{name: onprem}]\nprofiles:\n  - {name: a, gpus: 1, pools: [onprm]}\n",
            "5:32 POOL_NOT_FOUND profiles[a].pools[0] | pool \"onprm\" is not declared in this file"
                + " | no such pool | did you mean onprem?"),
        new Case(
            "dangling profile in a pool's order",
            HEAD + "pools:\n  - {name: p, order: [zzz]}\n",
            "4:23 PROFILE_NOT_FOUND pools[p].order[0] | profile \"zzz\" is not declared in this"
                + " file | no such profile | declare it under its own section"),
        new Case(
            "dangling group",
            HEAD + GROUPS + "policies:\n  - {name: p, group: gg, limit: 1}\n",
            "5:22 GROUP_NOT_FOUND policies[p].group | group \"gg\" is not declared in this file |"
                + " no such group | did you mean g?"),
        new Case(
            "reservation above limit",
            HEAD
                + GROUPS
                + "policies:\n  - name: p\n    group: g\n    reservation: 12\n    limit: 10\n",
            "7:18 RESERVATION_ABOVE_LIMIT policies[p].reservation | reservation is above the limit"
                + " | 12 > limit 10 (c.yaml:8) | lower the reservation to 10, or raise the limit"),
        new Case(
            "profile above limit",
            HEAD
                + GROUPS
                + POOLS
                + "profiles: [{name: gang, gpus: 8, workers: 2, pools: [p]}]\n"
                + "policies:\n"
                + "  - {name: a, group: g, limit: 8, queues: [{name: q, profile: gang}]}\n",
            "7:63 PROFILE_ABOVE_LIMIT policies[a].queues[q].profile | profile \"gang\" needs more"
                + " than the policy's limit | needs 16 > limit 8 | raise the limit to 16, or"
                + " connect a smaller profile"),
        new Case(
            "profile connected twice",
            HEAD
                + GROUPS
                + POOLS
                + HALF
                + "policies:\n  - name: a\n    group: g\n    limit: 1\n    queues:\n"
                + "      - {name: q, profile: half}\n      - {name: r, profile: half}\n",
            "12:28 PROFILE_CONNECTED_TWICE policies[a].queues[r].profile | profile \"half\" is"
                + " connected twice to one policy | queue q has it already | remove one of the two"
                + " queues"),
        new Case(
            "grant to a stranger",
            HEAD + GROUPS + "policies:\n  - {name: p, group: g, limit: 1, exceedLimit: [bob]}\n",
            "5:49 USER_NOT_FOUND policies[p].exceedLimit[0] | \"bob\" is not a user of group g |"
                + " not in the group | add the user to the group, or remove it here"),
        new Case(
            "elastic keys on a static pool",
            HEAD + "pools:\n  - {name: p, maxInstances: 4}\n",
            "4:29 KEY_NOT_ALLOWED pools[p].maxInstances | maxInstances belongs to elastic pools"
                + " only | this pool is static | remove it, or write type: elastic"),
        new Case(
            "elastic pool without its keys",
            HEAD + "pools:\n  - {name: p, type: elastic}\n",
            "4:5 MISSING_KEY pools[p].instance | pools[p] has no instance | - | say what one"
                + " instance brings: instance: {gpus: 8, …}",
            "4:5 MISSING_KEY pools[p].maxInstances | pools[p] has no maxInstances | - | say how"
                + " far the pool may grow: maxInstances: 4",
            "4:5 MISSING_KEY pools[p].provider | pools[p] has no provider | - | name the provider"
                + " plug-in, for example provider: exec"),
        new Case(
            "min above max",
            HEAD
                + "pools:\n  - {name: p, type: elastic, provider: exec, instance: {gpus: 1},"
                + " minInstances: 5, maxInstances: 4}\n",
            "4:81 MIN_ABOVE_MAX pools[p].minInstances | minInstances is above maxInstances | 5 >"
                + " maxInstances 4 | lower minInstances to 4, or raise maxInstances"),
        new Case(
            "two owners",
            HEAD
                + GROUPS
                + "policies: [{name: a, group: g, limit: 1}]\n"
                + "pools:\n  - {name: p, dedicatedTo: {policy: a, group: g}}\n",
            "6:28 BAD_VALUE pools[p].dedicatedTo | a pool is dedicated to one policy or one group |"
                + " names both | write dedicatedTo: {policy: NAME} or dedicatedTo: {group: NAME}"));
  }

  @ParameterizedTest
  @MethodSource({"form", "values", "meaning"})
  void isReportedAtItsPlace(Case mistake) {
    ConfigurationException e =
        catchThrowableOfType(
            ConfigurationException.class, () -> ConfigurationReader.read("c.yaml", mistake.text()));

    assertThat(e).as("the file is refused").isNotNull();
    List<String> found = new ArrayList<>();
    for (Problem problem : e.problems()) {
      found.add(line(problem));
    }
    assertThat(found).containsExactly(mistake.expected());
  }

  private static String line(Problem problem) {
    Span span = problem.span();
    String note = problem.note() != null ? problem.note() : problem.why();
    return "%s %s %s | %s | %s | %s"
        .formatted(
            span == null ? "-" : span.line() + ":" + span.column(),
            problem.reason(),
            problem.field(),
            problem.message(),
            note == null ? "-" : note,
            problem.next() == null ? "-" : problem.next());
  }
}

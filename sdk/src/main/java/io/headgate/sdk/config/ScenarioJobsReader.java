package io.headgate.sdk.config;

import io.headgate.sdk.config.ScenarioFile.DeclaredJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads the jobs of a scenario: each has a name of its own, and a queue that its user may use.
final class ScenarioJobsReader {

  private static final String ANYBODY = "user";

  private final Problems problems;
  private final NumberedNames names = new NumberedNames();
  private final Map<String, Policy> policyOf = new HashMap<>();
  private final Map<String, Profile> profiles = new HashMap<>();
  private final Map<String, Set<String>> members = new HashMap<>();
  private DeclaredNames queues = new DeclaredNames("queue");
  private boolean hasGroups;
  private long total;

  ScenarioJobsReader(Problems problems) {
    this.problems = problems;
  }

  /// Sets the configuration against which later jobs are checked.
  void configure(Configuration configuration, boolean groups) {
    hasGroups = groups;
    policyOf.clear();
    profiles.clear();
    members.clear();
    List<String> known = new ArrayList<>();
    for (Group group : configuration.groups()) {
      Set<String> all = members.computeIfAbsent(group.name(), key -> new HashSet<>());
      all.addAll(group.users());
      all.addAll(group.serviceAccounts());
    }
    configuration.profiles().forEach(profile -> profiles.put(profile.name(), profile));
    for (Policy policy : configuration.policies()) {
      for (Policy.Queue queue : policy.queues()) {
        known.add(queue.name());
        policyOf.put(queue.name(), policy);
      }
    }
    queues = DeclaredNames.of("queue", known);
  }

  /// One job, or several of a number.
  DeclaredJob read(MappingReader fields, int count) {
    ValueReader values = new ValueReader(fields);
    String name = values.name("job", "give the job a name");
    claim(fields, name, count);
    String queue = values.reference("queue", queues, "name the queue it is submitted to");
    return new DeclaredJob(
        name,
        queue,
        user(fields, values, queue),
        values.integer(ScenarioKeys.PRIORITY),
        values.flagOrNull("preemptible"),
        values.flag(ScenarioKeys.MOVABLE),
        positive(fields, values, "maxRuntime"),
        values.durationOrNull("duration"),
        positive(fields, values, "checkpoint"));
  }

  int count(MappingReader fields) {
    return new ValueReader(fields).integer(ScenarioKeys.JOB_COUNT);
  }

  /// Reports a reference to a job that is not there yet.
  void check(YamlTree.Scalar reference, String field) {
    String name = reference.text();
    if (names.find(name).isPresent()) {
      return;
    }
    problems.add(
        Problem.of(
                "JOB_NOT_FOUND",
                "job \"" + name + "\" is not there at this time",
                reference.span(),
                field)
            .value(name)
            .note("no job of this name before this line")
            .next(names.suggestion(name).orElse("submit it in an event above this one")));
  }

  private void claim(MappingReader fields, String name, int count) {
    YamlTree.Scalar scalar = fields.scalar("job");
    if (scalar == null || name.equals(ValueReader.UNREADABLE)) {
      return;
    }
    total += count;
    if (total > ScenarioKeys.MOST_JOBS) {
      if (total - count <= ScenarioKeys.MOST_JOBS) {
        problems.add(
            Problem.of(
                    "TOO_MANY_JOBS",
                    "more than " + ScenarioKeys.MOST_JOBS + " jobs",
                    scalar.span(),
                    fields.path())
                .note("the limit is passed here")
                .next("leave a part of them out"));
      }
      // DeclaredNames beyond the bound are many, and looked up one by one.
      return;
    }
    names
        .add(name, count, scalar.span())
        .ifPresent(first ->
            problems.add(
                Problem.of(
                        "NAME_TAKEN",
                        "job \"" + name + "\" is declared twice",
                        scalar.span(),
                        fields.path("job"))
                    .value(name)
                    .note("taken in line " + first.line())
                    .next("rename one of them")));
  }

  private String user(MappingReader fields, ValueReader values, String queue) {
    String user = values.nameOrNull("user");
    if (user == null) {
      if (hasGroups && fields.value("user") == null) {
        fields.missing(
            "user", "name the user that submits it, because the configuration has groups");
      }
      return ANYBODY;
    }
    Policy policy = policyOf.get(queue);
    YamlTree.Scalar scalar = fields.scalar("user");
    if (hasGroups
        && policy != null
        && scalar != null
        && !members.getOrDefault(policy.group(), Set.of()).contains(user)) {
      problems.add(
          Problem.of(
                  "NOT_ADMITTED",
                  "\"%s\" may not submit to queue %s".formatted(user, queue),
                  scalar.span(),
                  fields.path("user"))
              .value(user)
              .note("not in group " + policy.group())
              .next("add the user to the group, or leave groups out of the scenario"));
    }
    return user;
  }

  private static @Nullable Duration positive(MappingReader fields, ValueReader values, String key) {
    Duration duration = values.durationOrNull(key);
    YamlTree.Scalar scalar = fields.scalar(key);
    if (duration != null
        && duration.isZero()
        && scalar != null
        && fields.problems().clean(fields.path(key))) {
      values.bad(scalar, key, "must be longer than 0", "write for example 10m, or leave it out");
      return null;
    }
    return duration;
  }
}

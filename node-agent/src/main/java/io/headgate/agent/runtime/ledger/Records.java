package io.headgate.agent.runtime.ledger;

import io.headgate.agent.core.AbortCallback;
import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.AttemptState;
import io.headgate.agent.core.Container;
import io.headgate.agent.core.Container.PullPolicy;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.JobName;
import io.headgate.agent.core.Leadership;
import io.headgate.agent.core.LeadershipHistory;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.core.SlicePlace;
import io.headgate.agent.core.StopStep;
import io.headgate.agent.core.WorkerAddress;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/// The agent's records as [Fields], and back.
final class Records {
  private Records() {}

  static Fields of(Assignment assignment) {
    Fields fields = putKey(new Fields(), assignment.key());
    fields
        .put("workers", assignment.workers())
        .put("queue", assignment.queue())
        .put("cpu_millis", assignment.cpuMillis())
        .put("memory_bytes", assignment.memoryBytes())
        .put("grace", assignment.grace())
        .put("traceparent", assignment.traceparent())
        .put("resume", assignment.resume())
        .put("minimum_isolation", assignment.minimumIsolation())
        .put("user", assignment.user())
        .put("start_barrier", assignment.startBarrier())
        .put("abort_timeout", assignment.abortCallback().timeout())
        .putIfPresent("working_directory", assignment.workingDirectory())
        .putIfPresent("time_limit", assignment.timeLimit())
        .putIfPresent("stop_after", assignment.stopAfter())
        .putIfPresent("storage", assignment.storage());
    assignment
        .container()
        .ifPresent(
            container -> fields.put("image", container.image()).put("pull", container.pull()));
    assignment.slices().forEach(slice -> putGrant(fields, slice));
    assignment.command().forEach(argument -> fields.put("command", argument));
    assignment.abortCallback().command().forEach(argument -> fields.put("abort", argument));
    assignment.environment().forEach((name, value) -> fields.put("env", name + "=" + value));
    return fields;
  }

  static Assignment assignment(Fields fields) {
    SortedMap<String, String> environment = new TreeMap<>();
    for (String entry : fields.all("env")) {
      int equals = entry.indexOf('=');
      environment.put(entry.substring(0, equals), entry.substring(equals + 1));
    }
    return new Assignment(
        key(fields),
        (int) fields.number("workers"),
        fields.require("queue"),
        grants(fields),
        fields.number("cpu_millis"),
        fields.number("memory_bytes"),
        fields.all("command"),
        environment,
        fields.find("working_directory"),
        fields.duration("time_limit"),
        new AbortCallback(
            fields.all("abort"), fields.duration("abort_timeout").orElse(Duration.ZERO)),
        fields.duration("grace").orElse(Duration.ZERO),
        fields.duration("stop_after"),
        fields.require("traceparent"),
        Boolean.parseBoolean(fields.require("resume")),
        fields.constant("minimum_isolation", IsolationLevel.class),
        fields.require("user"),
        fields
            .find("image")
            .map(image -> new Container(image, fields.constant("pull", PullPolicy.class))),
        fields.find("storage"),
        // An older agent recorded none.
        fields.find("start_barrier").map(Boolean::parseBoolean).orElse(false));
  }

  static Fields of(AttemptReport report) {
    Fields fields = putKey(new Fields(), report.key());
    fields
        .put("state", report.state())
        .putIfPresent("started", report.started())
        .putIfPresent("suspension", Optional.of(report.suspension()).filter(order -> order != 0));
    report.address().ifPresent(address -> put(fields, address));
    report
        .step()
        .ifPresent(step ->
            fields
                .put("step", step.phase())
                .putIfPresent("step_result", step.result())
                .putIfPresent("step_duration", step.duration()));
    report
        .end()
        .ifPresent(end -> {
          fields.put("end", end.reason()).put("end_at", end.at());
          fields.putIfPresent("error", end.error());
          end.exitCode().ifPresent(code -> fields.put("exit_code", code));
        });
    return fields;
  }

  static AttemptReport report(Fields fields) {
    Optional<StopStep> step =
        fields.find("step").isEmpty()
            ? Optional.empty()
            : Optional.of(
                new StopStep(
                    fields.constant("step", StopStep.Phase.class),
                    fields.find("step_result").map(StopStep.Result::valueOf),
                    fields.duration("step_duration")));
    return new AttemptReport(
        key(fields),
        fields.constant("state", AttemptState.class),
        fields.instant("started"),
        step,
        fields.find("end").isEmpty() ? Optional.empty() : Optional.of(end(fields)),
        fields.find("suspension").isEmpty() ? 0 : fields.number("suspension"),
        address(fields));
  }

  static Fields put(Fields fields, WorkerAddress address) {
    return fields.put("address", address.host()).put("master_port", address.masterPort());
  }

  static Optional<WorkerAddress> address(Fields fields) {
    return fields
        .find("address")
        .map(host -> new WorkerAddress(host, (int) fields.number("master_port")));
  }

  private static AttemptReport.End end(Fields fields) {
    OptionalInt exitCode =
        fields.find("exit_code").isEmpty()
            ? OptionalInt.empty()
            : OptionalInt.of((int) fields.number("exit_code"));
    return new AttemptReport.End(
        fields.constant("end", EndReason.class),
        exitCode,
        fields.find("error"),
        fields.instant("end_at").orElseThrow(() -> new Fields.DamagedException("no end_at")));
  }

  static Fields of(LeadershipHistory history) {
    Fields fields = new Fields();
    history
        .highest()
        .ifPresent(highest ->
            fields
                .put("incarnation", highest.incarnation())
                .put("epoch", highest.epoch())
                .put("leader", highest.leader()));
    history.retired().forEach(incarnation -> fields.put("retired", incarnation));
    return fields;
  }

  static LeadershipHistory leadership(Fields fields) {
    Optional<Leadership> highest =
        fields
            .find("incarnation")
            .map(incarnation ->
                new Leadership(incarnation, fields.number("epoch"), fields.require("leader")));
    return new LeadershipHistory(highest, fields.all("retired"));
  }

  static Fields of(List<SlicePlan> plans) {
    Fields fields = new Fields();
    for (SlicePlan plan : plans) {
      Fields one = new Fields();
      one.put("number", plan.number())
          .put("mechanism", plan.mechanism())
          .put("isolation", plan.isolation())
          .put("memory_limit_bytes", plan.memoryLimitBytes());
      putGrant(one, plan.grant());
      plan.placement().forEach((name, value) -> one.put("placement", name + "=" + value));
      fields.put("plan", one.toLine());
    }
    return fields;
  }

  static List<SlicePlan> plans(Fields fields, AttemptKey key) {
    List<SlicePlan> plans = new ArrayList<>();
    for (String line : fields.all("plan")) {
      Fields one = Fields.ofLine(line);
      SortedMap<String, String> placement = new TreeMap<>();
      for (String entry : one.all("placement")) {
        int equals = entry.indexOf('=');
        placement.put(entry.substring(0, equals), entry.substring(equals + 1));
      }
      plans.add(
          new SlicePlan(
              key,
              (int) one.number("number"),
              grants(one).getFirst(),
              one.require("mechanism"),
              one.constant("isolation", IsolationLevel.class),
              one.number("memory_limit_bytes"),
              placement));
    }
    return plans;
  }

  static Fields putKey(Fields fields, AttemptKey key) {
    return fields
        .put("job", key.job())
        .putIfPresent("uid", Optional.of(key.uid()).filter(uid -> !uid.isEmpty()))
        .put("attempt", key.attempt())
        .put("worker", key.worker());
  }

  static AttemptKey key(Fields fields) {
    return new AttemptKey(
        fields.parse("job", fields.require("job"), JobName::parse),
        fields.find("uid").orElse(""),
        (int) fields.number("attempt"),
        (int) fields.number("worker"));
  }

  private static void putGrant(Fields fields, SliceGrant grant) {
    String text =
        String.join(
            " ",
            Integer.toString(grant.deviceIndex()),
            grant.gpus().toString(),
            Long.toString(grant.memoryBytes()),
            grant.deviceUuid());
    fields.put("slice", grant.place().map(place -> text + " " + words(place)).orElse(text));
  }

  private static String words(SlicePlace place) {
    return place.start() + " " + place.size() + " " + place.profile();
  }

  private static List<SliceGrant> grants(Fields fields) {
    return fields.all("slice").stream()
        .map(text -> fields.parse("slice", text, Records::grant))
        .toList();
  }

  private static SliceGrant grant(String text) {
    String[] parts = text.split(" ", 7);
    return new SliceGrant(
        Integer.parseInt(parts[0]),
        parts[3],
        GpuQuantity.parse(parts[1]),
        Long.parseLong(parts[2]),
        parts.length < 7
            ? Optional.empty()
            : Optional.of(
                new SlicePlace(parts[6], Integer.parseInt(parts[4]), Integer.parseInt(parts[5]))));
  }
}

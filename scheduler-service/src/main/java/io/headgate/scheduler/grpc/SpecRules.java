package io.headgate.scheduler.grpc;

import io.headgate.kit.config.Durations;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.type.JobRules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Validates the parts of a job's specification that the contract's own validation rules cannot
/// express: the rules of machines ([JobRules]), and those of the control plane. Reports all errors
/// together.
final class SpecRules {
  private static final String REASON = "INVALID_SPEC";
  private static final Duration LONGEST_ABORT = Duration.ofMinutes(30);
  private static final Duration LONGEST_GRACE = Duration.ofMinutes(10);
  private static final Duration LONGEST_SUSPENSION = Duration.ofDays(1);
  static final Duration LONGEST_RUNTIME = Duration.ofDays(3650);
  private static final Pattern LABEL_KEY =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?");

  private static final Duration LONGEST_WAIT = Duration.ofDays(3660);

  private final String at;
  private final JobSpec spec;
  private final Instant now;
  private final List<Refusal.FieldViolation> violations = new ArrayList<>();

  private SpecRules(String at, JobSpec spec, Instant now) {
    this.at = at;
    this.spec = spec;
    this.now = now;
  }

  /// @param at path of the job in the request: `` or `requests[17].`
  static void check(String at, JobSpec spec, Instant now) {
    new SpecRules(at + "spec.", spec, now).check();
  }

  private void check() {
    JobRules.problems(content(spec)).forEach(problem -> wrong(problem.field(), problem.message()));
    environment();
    times();
    labels();
    copyNumber();
    if (violations.isEmpty()) {
      return;
    }
    Refusal.FieldViolation first = violations.getFirst();
    Refusal refusal = Refusal.invalid(REASON, first.field() + ": " + first.description());
    for (Refusal.FieldViolation violation : violations) {
      refusal = refusal.withViolation(violation);
    }
    throw refusal.exception();
  }

  private void wrong(String field, String description) {
    violations.add(new Refusal.FieldViolation(at + field, description, REASON));
  }

  /// Refuses `HEADGATE_` variables, because the agent sets them. Refuses `LD_` variables, because
  /// the loader would obey them in the agent's own programs, which start the job.
  private void environment() {
    for (String name : spec.getEnvironmentMap().keySet()) {
      if (name.startsWith("HEADGATE_")) {
        wrong(
            "environment[" + name + "]",
            "names that begin with HEADGATE_ are set by Headgate: choose another");
      } else if (name.startsWith("LD_")) {
        wrong(
            "environment[" + name + "]",
            "loader variables are refused: set it inside the job, by a shell that runs the program");
      }
    }
  }

  /// The parts of the job that its machine uses.
  static JobRules.Content content(JobSpec spec) {
    return new JobRules.Content(
        spec.getCommandList(),
        spec.getAbortCallback().getCommandList(),
        spec.getEnvironmentMap(),
        spec.getWorkingDirectory(),
        spec.hasContainer() ? Optional.of(spec.getContainer().getImage()) : Optional.empty());
  }

  private void times() {
    if (spec.hasMaxRuntime()) {
      range("max_runtime", spec.getMaxRuntime(), Duration.ofMillis(1), LONGEST_RUNTIME);
    }
    if (spec.hasNotBefore()
        && ProtoTimes.instant(spec.getNotBefore()).isAfter(now.plus(LONGEST_WAIT))) {
      wrong("not_before", "is more than 10 years ahead: name an earlier time");
    }
    if (spec.hasTerminationGrace()) {
      range("termination_grace", spec.getTerminationGrace(), Duration.ZERO, LONGEST_GRACE);
    }
    if (spec.hasSuspend()) {
      range("suspend", spec.getSuspend(), Duration.ofSeconds(1), LONGEST_SUSPENSION);
    }
    if (spec.hasAbortCallback() && spec.getAbortCallback().hasTimeout()) {
      range(
          "abort_callback.timeout",
          spec.getAbortCallback().getTimeout(),
          Duration.ofMillis(1),
          LONGEST_ABORT);
    }
  }

  private void range(
      String field, com.google.protobuf.Duration value, Duration least, Duration most) {
    Duration duration = ProtoTimes.duration(value);
    if (duration.compareTo(least) < 0 || duration.compareTo(most) > 0) {
      wrong(
          field,
          "%s is not between %s and %s"
              .formatted(
                  Durations.format(duration), Durations.format(least), Durations.format(most)));
    }
  }

  private void copyNumber() {
    if (spec.hasCopyNumber() && spec.getCopyNumber().getIndex() > spec.getCopyNumber().getCount()) {
      wrong("copy_number.index", "is above copy_number.count");
    }
  }

  private void labels() {
    for (Map.Entry<String, String> label : spec.getLabelsMap().entrySet()) {
      if (!LABEL_KEY.matcher(label.getKey()).matches()) {
        wrong(
            "labels[" + label.getKey() + "]",
            "a key has letters, digits, '.', '_', '/' and '-', and ends in a letter or digit");
      }
      if (label.getValue().chars().anyMatch(Character::isISOControl)) {
        wrong("labels[" + label.getKey() + "]", "a value has no control characters");
      }
    }
  }
}

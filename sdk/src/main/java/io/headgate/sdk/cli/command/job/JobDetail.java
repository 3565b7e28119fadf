package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.command.shared.JobTexts;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.CellWidth;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.cli.output.OutputForm;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.cli.output.Style;
import io.headgate.sdk.cli.output.Table;
import io.headgate.sdk.cli.output.TimeText;
import io.headgate.sdk.config.ByteText;
import io.headgate.sdk.config.DurationText;
import io.headgate.sdk.model.Attempt;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// One job with its attempts.
final class JobDetail {
  private static final int LABEL_WIDTH = 10;

  private static final JobState[] ACTIVE = {
    JobState.ASSIGNED, JobState.RUNNING, JobState.STOPPING, JobState.SUSPENDED
  };

  private final Invocation invocation;
  private final Output output;
  private final TimeText times;

  JobDetail(Invocation invocation) {
    this.invocation = invocation;
    this.output = invocation.output();
    this.times = output.times();
  }

  void print(Row<Job> row) {
    OutputForm.Kind kind = invocation.form().kind();
    if (kind == OutputForm.Kind.TABLE || kind == OutputForm.Kind.WIDE) {
      print(row.value());
    } else {
      JobListing.listing(times).printOne(row, invocation.form(), output);
    }
  }

  private void print(Job job) {
    field("job", Cell.of(Style.BOLD, job.id()));
    field("state", JobTexts.state(job));
    field("", Cell.of(JobTexts.whereOrReason(job)));
    field("queue", Cell.of(job.spec().queue()));
    JobSpec.Array array = job.spec().array();
    if (array != null) {
      field("array", Cell.of(JobTexts.array(array)));
    }
    field("needs", Cell.of(needs(job)));
    field("command", Cell.of(command(job)));
    field("user", Cell.of(job.user()));
    field("policy", Cell.of(job.policy() + ", profile " + job.profile()));
    field("submitted", Cell.of(when(job.createTime())));
    if (job.expectedStartTime() != null) {
      field(
          "start",
          Cell.of(JobTexts.start(job, times) + " (" + times.until(job.expectedStartTime()) + ")"));
    }
    settings(job);
    place(job);
    job.currentAttempt().ifPresent(this::progress);
    if (!job.attempts().isEmpty()) {
      output.line("");
      attempts(job.attempts());
    }
    LastWords.of(invocation, job).forEach(output::line);
    Job.ArrayProgress progress = job.arrayProgress();
    if (progress != null) {
      elements(job, progress);
      return;
    }
    output.note("");
    output.note("why: headgate explain " + job.id() + "     output: headgate logs " + job.id());
  }

  /// Settings that its submitter chose.
  private void settings(Job job) {
    if (job.spec().priority() != 0) {
      field("priority", Cell.of(job.spec().priority()));
    }
    Duration limit = job.spec().maxRuntime();
    if (limit != null) {
      field("at most", Cell.of(DurationText.format(limit)));
    }
    Duration suspend = job.spec().suspend();
    if (suspend != null) {
      field("suspended", Cell.of("when preempted, for at most " + DurationText.format(suspend)));
    }
    if (!job.spec().after().isEmpty()) {
      field("after", Cell.of(after(job.spec().after())));
    }
    if (job.spec().notBefore() != null) {
      field("not before", Cell.of(when(job.spec().notBefore())));
    }
    if (job.spec().movable()) {
      field("movable", Cell.of("to make room, in a pool with consolidate"));
    }
    if (job.spec().abortCallback() != null) {
      field("on abort", Cell.of(String.join(" ", job.spec().abortCallback().command())));
    }
  }

  /// Which element or copy it is.
  private void place(Job job) {
    JobSpec.CopyNumber copy = job.spec().copyNumber();
    Job.Element element = job.element();
    if (element != null) {
      String of = copy == null ? "" : " of " + copy.count();
      field("element", Cell.of("%d%s of %s".formatted(element.number(), of, element.array())));
    } else if (copy != null) {
      field("copy", Cell.of("%d of %d".formatted(copy.index(), copy.count())));
    }
  }

  /// Which elements of the array failed, which run, and where the others are listed.
  private void elements(Job array, Job.ArrayProgress progress) {
    ArrayElements elements = new ArrayElements(invocation, array.id());
    List<Job> failed = progress.failed() > 0 ? elements.failed() : List.of();
    if (!failed.isEmpty()) {
      field("failed", Cell.of(Style.BAD, ArrayElements.names(failed, progress.failed())));
    }
    if (progress.active() > 0) {
      List<Job> active = elements.in(ACTIVE);
      field("running", Cell.of(ArrayElements.names(active, progress.active())));
    }
    output.note("");
    output.note(
        "elements: headgate jobs --array %s     why: headgate explain %s"
            .formatted(array.id(), array.id()));
    elements.report(failed, progress).stream().skip(1).forEach(line -> output.note(line.strip()));
  }

  /// `prepare-1, clean-1 (any)`.
  private static String after(List<JobSpec.Dependency> after) {
    return after.stream()
        .map(each ->
            each.job()
                + (each.condition() == JobSpec.Dependency.Condition.OK
                    ? ""
                    : " (" + each.condition().name().toLowerCase(Locale.ROOT) + ")"))
        .collect(Collectors.joining(", "));
  }

  private void progress(Attempt attempt) {
    Attempt.Progress said = attempt.progress();
    if (said != null) {
      String message = said.message() == null ? "" : ", " + said.message();
      String when = " (" + times.ago(said.reportTime()) + " ago)";
      field("progress", Cell.of(JobTexts.percent(said.fraction()) + message + when));
    }
    field("saved", Cell.of(when(attempt.checkpointTime())));
    if (attempt.endTime() == null) {
      field("uses", Cell.of(use(attempt)));
    }
  }

  /// The present use of its slices: `62.5% of its GPU time, 12GiB of 24GiB of device memory`.
  private static String use(Attempt attempt) {
    Attempt.SliceUse use = attempt.use();
    List<String> parts = new ArrayList<>();
    if (use != null && use.utilization() != null) {
      parts.add(JobTexts.percent(use.utilization()) + " of its GPU time");
    }
    if (use != null && use.memoryBytes() != null) {
      long owned =
          attempt.placements().stream()
              .flatMap(place -> place.slices().stream())
              .mapToLong(slice -> slice.memoryBytes())
              .sum();
      parts.add(
          ByteText.round(use.memoryBytes())
              + (owned == 0 ? "" : " of " + ByteText.round(owned))
              + " of device memory");
    }
    return String.join(", ", parts);
  }

  private void attempts(List<Attempt> attempts) {
    List<Column<Attempt>> columns =
        List.of(
            Column.<Attempt>of("ATTEMPT", attempt -> Cell.of(attempt.number())).toRight(),
            Column.<Attempt>of("WHERE", attempt -> Cell.of(JobTexts.place(attempt.placements()))),
            Column.<Attempt>of("POOL", attempt -> Cell.of(attempt.pool())),
            Column.<Attempt>of("STARTED", attempt -> Cell.of(times.exact(attempt.startTime()))),
            Column.<Attempt>of("RAN", attempt -> Cell.of(ran(attempt))),
            Column.<Attempt>of("BUSY", attempt -> Cell.of(busy(attempt))).toRight().leaving(1),
            Column.<Attempt>of("ENDED", attempt -> Cell.of(outcome(attempt))).givingWay());
    int width = output.terminal() ? output.width().getAsInt() : 0;
    new Table<>(columns, output.paint(), output.symbols())
        .lines(attempts, true, width)
        .forEach(output::line);
  }

  /// The part of its GPU time in which it computed.
  private static String busy(Attempt attempt) {
    Attempt.SliceUse use = attempt.use();
    Double part = use == null ? null : use.busyPart();
    return part == null ? TimeText.NONE : JobTexts.percent(part);
  }

  private String ran(Attempt attempt) {
    if (attempt.startTime() == null) {
      return TimeText.NONE;
    }
    var end = attempt.endTime() == null ? times.clock().instant() : attempt.endTime();
    return TimeText.span(Duration.between(attempt.startTime(), end));
  }

  private static String outcome(Attempt attempt) {
    // The most important part comes first, because a narrow terminal cuts the rest.
    List<String> parts = new ArrayList<>();
    if (attempt.preemption() != null) {
      parts.add(JobTexts.preemption(attempt.preemption()));
    }
    if (attempt.outcome() != Attempt.Outcome.NOT_ENDED) {
      parts.add(attempt.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' '));
    }
    if (attempt.error() != null) {
      parts.add(attempt.error());
    }
    if (attempt.exitCode() != null) {
      parts.add("exit " + attempt.exitCode());
    }
    return String.join(", ", parts);
  }

  private String needs(Job job) {
    String gang = job.workers() > 1 ? ", " + job.workers() + " workers" : "";
    return job.gpus().mixed() + " GPU" + gang + (job.spec().array() == null ? "" : " each");
  }

  private static String command(Job job) {
    return String.join(" ", job.spec().command().stream().map(ShellQuoting::quoted).toList());
  }

  private String when(java.time.@Nullable Instant time) {
    return time == null ? "" : times.exact(time) + " (" + times.ago(time) + " ago)";
  }

  private void field(String label, Cell value) {
    if (!value.text().isEmpty() && !value.equals(Cell.NONE)) {
      output.line(
          output.dim(CellWidth.pad(label, LABEL_WIDTH))
              + output.paint().paint(value.style(), value.text()));
    }
  }
}

package io.headgate.sdk.cli.command.job;

import io.headgate.sdk.cli.command.shared.JobTexts;
import io.headgate.sdk.cli.output.Cell;
import io.headgate.sdk.cli.output.Column;
import io.headgate.sdk.cli.output.Listing;
import io.headgate.sdk.cli.output.Row;
import io.headgate.sdk.cli.output.TimeText;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.Placement.Slice;
import io.headgate.sdk.wire.JobMessages;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The list of jobs.
public final class JobListing {
  private JobListing() {}

  public static Row<Job> row(io.headgate.proto.scheduler.v1.Job job) {
    return Row.of(JobMessages.job(job), "job", "jobs", job);
  }

  public static Listing<Job> listing(TimeText times) {
    return listing(times, false);
  }

  /// The columns of a list of jobs.
  ///
  /// @param others jobs of several users may be among them
  public static Listing<Job> listing(TimeText times, boolean others) {
    Column<Job> user = Column.<Job>of("USER", job -> Cell.of(job.user())).leaving(5);
    return new Listing<>(
        "jobs",
        List.of("jobs"),
        Job::id,
        List.of(
            Column.<Job>of("JOB", job -> Cell.of(job.id())).sortedBy(JobListing::inOrder),
            others ? user : user.whenWide(),
            Column.<Job>of("QUEUE", job -> Cell.of(job.spec().queue())).leaving(4),
            Column.of("STATE", JobTexts::state).plainly(job -> job.state().name()),
            Column.<Job>of("GPUS", job -> Cell.of(job.gpus().mixed()))
                .leaving(2)
                .plainly(job -> job.gpus().toString())
                .sortedBy(Job::gpus),
            Column.<Job>of("AGE", job -> Cell.of(times.ago(job.createTime())))
                .leaving(1)
                .plainly(job -> TimeText.machine(job.createTime()))
                .sortedBy(job -> orEpoch(job.createTime())),
            Column.<Job>of("WHERE / REASON", job -> Cell.of(JobTexts.whereOrReason(job)))
                .givingWay(),
            Column.<Job>of("START", job -> Cell.of(JobTexts.start(job, times)))
                .leaving(3)
                .plainly(job -> TimeText.machine(job.expectedStartTime()))
                .sortedBy(job -> orNever(job.expectedStartTime())),
            Column.<Job>of("POLICY", job -> Cell.of(job.policy())).whenWide(),
            Column.<Job>of("PROFILE", job -> Cell.of(job.profile())).whenWide(),
            Column.<Job>of("PRIORITY", job -> Cell.of(job.spec().priority()))
                .toRight()
                .whenWide()
                .sortedBy(job -> job.spec().priority()),
            Column.<Job>of("ATTEMPT", job -> Cell.of(job.attempt()))
                .toRight()
                .whenWide()
                .sortedBy(Job::attempt),
            Column.<Job>of("ISOLATION", job -> Cell.of(isolation(job))).whenWide(),
            Column.<Job>of(
                    "EXIT",
                    job ->
                        Optional.ofNullable(job.exitCode()).<Cell>map(Cell::of).orElse(Cell.NONE))
                .toRight()
                .whenWide()));
  }

  /// An id by which elements of an array sort by their number.
  private static String inOrder(Job job) {
    Job.Element element = job.element();
    return element == null ? job.id() : "%s.%06d".formatted(element.array(), element.number());
  }

  /// Simulated devices have no isolation. The cell says so, because an empty one looks like an
  /// omission.
  private static String isolation(Job job) {
    if (job.simulated()) {
      return "SIMULATED";
    }
    return job.currentAttempt().stream()
        .flatMap(attempt -> attempt.placements().stream())
        .flatMap(placement -> placement.slices().stream())
        .map(Slice::isolation)
        .filter(java.util.Objects::nonNull)
        .map(io.headgate.sdk.config.Profile.Isolation::keyword)
        .findFirst()
        .orElse("");
  }

  private static Instant orEpoch(@org.jspecify.annotations.Nullable Instant time) {
    return time == null ? Instant.EPOCH : time;
  }

  private static Instant orNever(@org.jspecify.annotations.Nullable Instant time) {
    return time == null ? Instant.MAX : time;
  }
}

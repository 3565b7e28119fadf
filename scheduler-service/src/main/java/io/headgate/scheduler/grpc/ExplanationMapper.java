package io.headgate.scheduler.grpc;

import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobExplanation;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.explain.Check;
import io.headgate.scheduler.core.explain.Explanation;
import io.headgate.scheduler.core.explain.Forecast;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.Preemption;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.runtime.desk.LeaderView;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.text.CheckText;
import io.headgate.scheduler.runtime.text.DecisionText;
import io.headgate.scheduler.runtime.text.ForecastText;
import io.headgate.scheduler.runtime.text.ReasonText;
import io.headgate.type.Viewer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Maps the core's explanation of a job, with the job's history, to the contract's messages, for
/// one reader.
final class ExplanationMapper {
  private final Viewer viewer;

  /// @param viewer sees the job
  ExplanationMapper(Viewer viewer) {
    this.viewer = viewer;
  }

  /// When an explanation was made.
  ///
  /// @param version of the watches
  record Moment(long version, Instant now) {}

  /// The part of an explanation that the loop supplies. Ids of jobs are resolved to names here,
  /// while the loop still has them.
  ///
  /// @param ahead names of the jobs that go first, as far as the reader sees them
  /// @param preemptedBy name of the job that preempted it last; empty: it was never preempted, or
  ///   the preemptor is gone or not seen by the reader
  /// @param progress the program's own report, in sentences; may be empty
  /// @param lacking what is said of nodes without the storage of their pool; may be empty
  /// @param forecast computed outside the loop, because it takes long
  record Known(
      Explanation explanation,
      List<String> ahead,
      String preemptedBy,
      String progress,
      String lacking,
      Supplier<Optional<Forecast>> forecast) {
    /// @param foresee whether it may be looked for when the job starts
    static Optional<Known> of(LeaderView leader, JobId job, boolean foresee, Viewer viewer) {
      return leader
          .core()
          .explain(job)
          .map(explanation ->
              new Known(
                  explanation,
                  explanation.ahead().stream()
                      .map(leader.reads()::job)
                      .flatMap(Optional::stream)
                      .map(each ->
                          each.tenant().equals(explanation.job().spec().queue().tenant())
                                  && JobReads.sees(viewer, each)
                              ? each.name().id()
                              : Viewer.ANOTHER_TEAMS_JOB)
                      .toList(),
                  explanation
                      .job()
                      .lastPreemption()
                      .map(Preemption::by)
                      .flatMap(leader.reads()::job)
                      .filter(each -> JobReads.sees(viewer, each))
                      .map(each -> each.name().id())
                      .orElse(""),
                  leader
                      .reads()
                      .attempt(job)
                      .map(attempt -> DecisionText.progress(attempt, leader.now()))
                      .orElse(""),
                  StorageText.of(leader, explanation.job().spec().queue()),
                  foresee
                      ? leader.core().forecast(job, leader.now())
                      : () -> notForeseen(explanation)));
    }

    private static Optional<Forecast> notForeseen(Explanation explanation) {
      return explanation.position().map(_ -> new Forecast.Unknown(Forecast.Cause.BUSY));
    }
  }

  JobExplanation toExplanation(
      Job job, JobRecord record, Optional<Known> known, JobHistory history, Moment moment) {
    JobExplanation.Builder explanation =
        JobExplanation.newBuilder()
            .setJob(job)
            .setVerdict(verdict(record, known))
            .setVersion(moment.version())
            .setTime(ProtoTimes.toProto(moment.now()));
    known
        .flatMap(each -> each.forecast().get())
        .ifPresent(forecast -> foresee(explanation, forecast));
    explanation.addAllHistory(history.own()).addAllPreemptions(history.madeRoom());
    known.ifPresent(each -> {
      Explanation core = each.explanation();
      core.starts().forEach(check -> explanation.addStartChecks(toCheck(check)));
      List<Check> preemption = core.preempts().isEmpty() ? core.exposure() : core.preempts();
      preemption.forEach(check -> explanation.addPreemptionChecks(toCheck(check)));
      explanation.addAllAhead(each.ahead());
      core.position().ifPresent(position -> explanation.setTotalAhead(position.number() - 1));
    });
    return explanation.build();
  }

  private static void foresee(JobExplanation.Builder explanation, Forecast forecast) {
    if (forecast instanceof Forecast.Expected expected) {
      explanation.setJob(
          explanation.getJob().toBuilder()
              .setExpectedStartTime(ProtoTimes.toProto(expected.start())));
    }
    explanation.setVerdict(
        explanation.getVerdict()
            + "\n"
            + ForecastText.sentence(
                forecast, time -> time.truncatedTo(ChronoUnit.SECONDS).toString()));
  }

  private String verdict(JobRecord record, Optional<Known> known) {
    String name = record.name().id();
    String what =
        switch (record.state()) {
          case WAITING ->
              known
                      .flatMap(each -> each.explanation().reason())
                      .map(reason ->
                          name
                              + " waits for "
                              + reason.code()
                              + ": "
                              + ReasonText.sentence(reason)
                              + ".")
                      .orElse(name + " waits.")
                  + known.map(Known::lacking).orElse("");
          case DRAFT ->
              name
                  + " is a draft: "
                  + record.draft().map(JobRecord.DraftCause::message).orElse("it was kept back")
                  + ".";
          case SUSPENDED ->
              known
                  .flatMap(each -> each.explanation().reason())
                  .map(reason -> name + " is suspended: " + ReasonText.sentence(reason) + ".")
                  .orElse(name + " is suspended.");
          case ASSIGNED, RUNNING, STOPPING ->
              known
                      .flatMap(each -> each.explanation().attempt())
                      .map(attempt ->
                          "%s %s on %s of %s."
                              .formatted(
                                  name,
                                  verb(record.state()),
                                  DecisionText.places(attempt.assignment()),
                                  attempt.assignment().pool().name()))
                      .orElse(name + " " + verb(record.state()) + ".")
                  + stopping(record)
                  + known.map(Known::progress).orElse("");
          case DONE, FAILED, CANCELLED, LOST -> DecisionText.ended(record) + ".";
        };
    return known
        .filter(_ -> record.state() == JobState.WAITING || record.state() == JobState.SUSPENDED)
        .flatMap(each -> preempted(record, each))
        .map(sentence -> what + " " + sentence)
        .orElse(what);
  }

  private static String stopping(JobRecord record) {
    return record.state() == JobState.STOPPING
        ? record
            .cancellation()
            .map(cancellation -> " It was cancelled" + cancellation.text() + ".")
            .orElse("")
        : "";
  }

  private Optional<String> preempted(JobRecord record, Known known) {
    Explanation core = known.explanation();
    return core.job()
        .lastPreemption()
        .map(preemption ->
            "It was %s %s; it keeps its original place%s."
                .formatted(
                    preemption.rule() == PreemptionRule.P11 ? "moved for" : "preempted by",
                    preemptor(record.tenant(), preemption, known),
                    core.position()
                        .map(position ->
                            ": position %d of %d in %s"
                                .formatted(
                                    position.number(),
                                    position.of(),
                                    record.job().spec().queue().name()))
                        .orElse("")));
  }

  private String preemptor(TenantId tenant, Preemption preemption, Known known) {
    PolicyId winner = preemption.grounds().winner().policy();
    if (!winner.tenant().equals(tenant) || !viewer.seesTeam(winner.name())) {
      return "%s (rule %s)".formatted(Viewer.ANOTHER_TEAMS_JOB, preemption.rule());
    }
    return "%s (rule %s: %s)"
        .formatted(
            known.preemptedBy().isEmpty() ? "a job that is gone" : known.preemptedBy(),
            preemption.rule(),
            DecisionText.grounds(preemption.grounds()));
  }

  private static String verb(JobState state) {
    return switch (state) {
      case ASSIGNED -> "is about to run";
      case STOPPING -> "is stopping";
      case RUNNING, SUSPENDED, DRAFT, WAITING, DONE, FAILED, CANCELLED, LOST -> "runs";
    };
  }

  private JobExplanation.Check toCheck(Check check) {
    return JobExplanation.Check.newBuilder()
        .setRule(check.rule())
        .setSubject(check.title())
        .setResult(
            switch (check.verdict()) {
              case OK -> JobExplanation.Check.Result.RESULT_OK;
              case NO -> JobExplanation.Check.Result.RESULT_NO;
              case NOT_APPLICABLE -> JobExplanation.Check.Result.RESULT_UNSPECIFIED;
            })
        .setMessage(CheckText.of(check, viewer))
        .build();
  }
}

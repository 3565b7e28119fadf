package io.headgate.scheduler.grpc;

import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.SchedulerState;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.scheduler.runtime.submission.Submission.NewJob;
import io.headgate.type.Viewer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Says where a job would start, or why it would wait, by submitting it to a copy of the core. The
/// copy decides on a thread for heavy work; the loop only hands out its state.
final class DryRun {
  private final LeaderDoor door;
  private final CatalogJudge judge;
  private final SubmissionRules rules;
  private final CopyBound copies;

  DryRun(LeaderDoor door, CatalogJudge judge, SubmissionRules rules, CopyBound copies) {
    this.door = door;
    this.judge = judge;
    this.rules = rules;
    this.copies = copies;
  }

  /// Everything of one moment of the loop.
  private record Moment(
      SchedulerState state,
      PlacementPolicy placement,
      CatalogView catalog,
      Optional<Denial> denial,
      Instant now) {}

  Job submit(SubmissionRequest request, SubmitJobRequest each) {
    return judge.judge(catalog -> submit(request, each, catalog));
  }

  private Job submit(SubmissionRequest request, SubmitJobRequest each, CatalogView catalog) {
    NewJob job = rules.read(request, 0, each, catalog);
    rules.demandImages(request, catalog);
    JobSpec spec =
        new JobSpec(
            // No job has it: ids count from 1.
            new JobId(0),
            job.queue(),
            job.user(),
            job.priority(),
            job.preemptible(),
            job.maxRuntime(),
            job.stopTime(),
            job.suspend(),
            false);
    return copies.answer(() -> {
      Moment moment =
          Refusals.leading(
              true,
              () ->
                  door.ask(leader ->
                      new Moment(
                          leader.core().state(),
                          leader.core().placement(),
                          leader.catalog(),
                          leader.core().check(spec),
                          leader.now())));
      if (moment.denial().isPresent()) {
        throw CatalogRefusal.byAll(() ->
            Refusals.denied(
                "",
                job.queue(),
                moment.denial().get(),
                () ->
                    Refusals.unknownQueue(
                        "",
                        job.queue(),
                        catalog,
                        Viewers.of(request.principal(), request.tenant(), catalog))));
      }
      return decide(job, spec, each, moment);
    });
  }

  private static Job decide(NewJob job, JobSpec spec, SubmitJobRequest each, Moment moment) {
    SchedulerCore copy = SchedulerCore.load(moment.state(), moment.placement());
    List<Effect> effects =
        copy.decide(List.of(new Input.JobSubmitted(spec)), moment.now()).effects();
    Queue queue = moment.catalog().queue(job.queue()).orElseThrow();
    Profile profile = moment.catalog().profile(queue.profile()).orElseThrow();
    String name =
        each.getJobId().isEmpty()
            ? (each.getIdPrefix().isEmpty() ? job.queue().name() : each.getIdPrefix())
            : each.getJobId();
    JobRecord record =
        new JobRecord(
            new JobMetadata(
                new JobName(job.queue().tenant(), name),
                queue.policy().name(),
                queue.profile().name(),
                profile.need(),
                profile.workers(),
                job.submitter(),
                job.byRole(),
                job.labels(),
                "",
                moment.now()),
            copy.job(spec.id()).orElseThrow(),
            JobRecord.Course.NONE,
            Optional.empty(),
            Optional.empty(),
            false,
            0);
    Optional<Attempt> attempt =
        effects.stream()
            .filter(Effect.StartAttempt.class::isInstance)
            .map(Effect.StartAttempt.class::cast)
            .map(Effect.StartAttempt::attempt)
            .filter(started -> started.id().job().equals(spec.id()))
            .findFirst();
    JobView view =
        new JobView(
            record,
            attempt.map(started -> AttemptRecord.begin(started, 0, Optional.empty())),
            copy.reason(spec.id()),
            copy.position(spec.id()),
            Optional.empty());
    return JobMapper.toJob(
        view,
        JobMapper.spec(job.document()),
        List.of(),
        // It was never preempted, so it names no other job.
        new JobMapper.Audience(Viewer.OF_ALL, true));
  }
}

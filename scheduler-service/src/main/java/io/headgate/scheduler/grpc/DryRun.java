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
import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.scheduler.runtime.submission.Prerequisite;
import io.headgate.scheduler.runtime.submission.Submission.NewJob;
import io.headgate.type.Viewer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Says where a job would start, or why it would wait, by submitting it to a copy of the core. The
/// copy decides on a thread for heavy work; the loop only hands out its state.
final class DryRun {
  private final LeaderDoor door;
  private final JobReader reader;
  private final CatalogJudge judge;
  private final SubmissionRules rules;
  private final CopyBound copies;

  DryRun(EndpointParts parts, CatalogJudge judge, SubmissionRules rules) {
    this.door = parts.door();
    this.reader = parts.reader();
    this.judge = judge;
    this.rules = rules;
    this.copies = parts.copies();
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
    Gate gate = gate(request, job, catalog);
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
            job.movable());
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
      return decide(job, spec, gate, each, moment);
    });
  }

  /// The gate that it would wait behind. A job that ends meanwhile changes nothing.
  private Gate gate(SubmissionRequest request, NewJob job, CatalogView catalog) {
    Prerequisites prerequisites =
        new Prerequisites(
            reader, request, Viewers.of(request.principal(), request.tenant(), catalog));
    prerequisites.demandNoCycle();
    List<Dependency> left = new ArrayList<>();
    for (Prerequisite each : prerequisites.of(0)) {
      if (each instanceof Prerequisite.Stored(JobRecord known, var condition)) {
        Dependency dependency = new Dependency(known.id(), known.name().id(), condition);
        if (!known.state().isTerminal()) {
          left.add(dependency);
        } else if (!dependency.isMetBy(known.state())) {
          throw Prerequisites.neverMet("spec.after", dependency, known.state()).exception();
        }
      }
    }
    return new Gate(job.notBefore(), left);
  }

  private static Job decide(
      NewJob job, JobSpec spec, Gate gate, SubmitJobRequest each, Moment moment) {
    SchedulerCore copy = SchedulerCore.load(moment.state(), moment.placement());
    List<Effect> effects =
        copy.decide(List.of(new Input.JobSubmitted(spec, gate)), moment.now()).effects();
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

package io.headgate.scheduler.grpc;

import io.headgate.kit.auth.Principals;
import io.headgate.kit.config.Durations;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.RefusalException;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.UpdateJobRequest;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.VaultRules;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.Command.ChangeReply;
import io.headgate.scheduler.runtime.desk.LeaderView;
import io.headgate.scheduler.runtime.desk.WaitingBounds;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.scheduler.runtime.record.Retention;
import io.headgate.scheduler.runtime.text.ReasonText;
import io.headgate.type.Viewer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/// Cancels and requeues jobs, for their submitters, for leads of their groups and for admins.
final class JobChanges {
  /// Attempts to change a job that other changes keep overtaking.
  private static final int TRIES = 20;

  private final LeaderDoor door;
  private final CatalogJudge judge;
  private final SubmissionRules rules;
  private final JobReads jobs;
  private final JobReader reader;
  private final Retention retention;

  JobChanges(EndpointParts parts, CatalogJudge judge, SubmissionRules rules, JobReads jobs) {
    this.door = parts.door();
    this.retention = parts.retention();
    this.judge = judge;
    this.rules = rules;
    this.jobs = jobs;
    this.reader = parts.reader();
  }

  Job cancel(JobName name, boolean skipCallback, String cause) {
    Cancellation cancellation = new Cancellation(caller(), cause);
    return change(
        name,
        "cancel",
        record -> Refusals.leading(true, () -> door.cancel(record, skipCallback, cancellation)));
  }

  /// A requeue whose outcome is unknown must not be reported as repeatable: the job may have
  /// started again meanwhile, and the repeat would stop it a second time.
  ///
  /// @param queue id of another queue; empty: its own
  /// @param ignoreAfter whether it no longer waits for other jobs
  Job requeue(JobName name, String queue, boolean ignoreAfter) {
    return judge.judge(catalog ->
        change(
            name,
            "requeue",
            stored -> {
              JobRecord record =
                  ignoreAfter && !stored.job().gate().after().isEmpty()
                      ? stored.with(withoutAfter(stored.job()))
                      : stored;
              requireKept(record);
              Optional<Command.Moved> moved =
                  queue.isEmpty() || queue.equals(record.job().spec().queue().name())
                      ? Optional.empty()
                      : Optional.of(moved(record, queue));
              QueueId target = moved.map(Command.Moved::queue).orElse(record.job().spec().queue());
              moved.ifPresent(each -> requireSeen(record, each.queue(), catalog));
              requireAdmission(record, target, catalog);
              moved.ifPresent(each -> rules.demandFits(each.queue(), spec(each), catalog));
              return Refusals.leading(
                  false,
                  () ->
                      door.requeue(
                          record, caller(), catalog, moved, Prerequisites.of(record, reader)));
            }));
  }

  private static io.headgate.scheduler.core.job.Job withoutAfter(
      io.headgate.scheduler.core.job.Job job) {
    return job.withGate(new Gate(job.gate().notBefore(), List.of()), job.waitingSince());
  }

  private static JobSpec spec(Command.Moved moved) {
    return JobMapper.spec(moved.document());
  }

  private Command.Moved moved(JobRecord record, String queue) {
    return new Command.Moved(
        new QueueId(record.tenant(), queue),
        Document.of(jobs.spec(record).toBuilder().setQueue(queue).build().toByteArray()));
  }

  /// Changes a job that waits or is a draft.
  Job update(JobName name, UpdateJobRequest request) {
    JobUpdate update = JobUpdate.of(request);
    return judge.judge(catalog ->
        change(
            name,
            "update",
            record -> {
              QueueId queue = update.queue(record);
              if (!queue.equals(record.job().spec().queue())) {
                requireSeen(record, queue, catalog);
                requireAdmission(record, queue, catalog);
                rules.demandFits(queue, update.spec(jobs.spec(record)), catalog);
              }
              return Refusals.leading(
                  true,
                  () ->
                      door.update(
                          record,
                          update.applied(record),
                          update.applied(jobs.spec(record)),
                          update.text(caller()),
                          catalog));
            }));
  }

  static String caller() {
    return Names.user(Principals.current()).name();
  }

  private Job change(JobName name, String verb, Function<JobRecord, ChangeReply> change) {
    Viewer viewer = jobs.viewer(name.tenant());
    for (int i = 0; i < TRIES; i++) {
      JobRecord record = jobs.require(name, viewer);
      requireSteering(viewer, record, verb);
      // Read before the change: if a read failed after it, the caller would learn that the database
      // is unavailable, and would repeat a change that took effect.
      JobSpec spec = jobs.spec(record);
      ChangeReply reply = change.apply(record);
      if (reply instanceof ChangeReply.Changed(JobView view)) {
        return JobReads.changed(view, spec(view, spec), viewer);
      }
      Optional<RuntimeException> refused = refused(record, verb, reply, viewer);
      if (refused.isPresent()) {
        throw refused.get();
      }
      // The loop is ahead of the database. Its state becomes durable in a moment, so the change is
      // retried.
    }
    throw conflict(name).exception();
  }

  /// The specification after a change.
  private static JobSpec spec(JobView view, JobSpec before) {
    var core = view.job().job().spec();
    JobSpec.Builder spec =
        before.toBuilder().setQueue(core.queue().name()).setPriority(core.priority());
    core.maxRuntime()
        .map(ProtoTimes::toProto)
        .ifPresentOrElse(spec::setMaxRuntime, spec::clearMaxRuntime);
    return spec.build();
  }

  static Refusal conflict(JobName name) {
    return Refusal.conflict("CONFLICT", name.id() + " changes too quickly; try again");
  }

  /// Why the job was left alone, by the catalog known here; empty: it was changed.
  Optional<Refusal> problem(JobRecord job, String verb, ChangeReply reply, Viewer viewer) {
    return refused(job, verb, reply, viewer)
        .map(failure ->
            switch (failure) {
              case RefusalException known -> known.refusal();
              case CatalogRefusal known -> known.refusal();
              default -> throw failure;
            });
  }

  /// The refusal of a change; empty: the job was changed, or the caller reads it again.
  private Optional<RuntimeException> refused(
      JobRecord record, String verb, ChangeReply reply, Viewer viewer) {
    return switch (reply) {
      case ChangeReply.Changed _, ChangeReply.Outdated() -> Optional.empty();
      case ChangeReply.Refused(Denial denial) -> Optional.of(refused(record, verb, denial, viewer));
      case ChangeReply.NeverMet(var dependency, var ended) ->
          Optional.of(
              Prerequisites.neverMet("", dependency, ended)
                  .withMetadata("remedy", "ignore_after")
                  .exception());
      case ChangeReply.NotAdmitted() ->
          Optional.of(notAdmitted(record, record.job().spec().queue()));
      case ChangeReply.TooManyWaiting(WaitingBounds.Met met) ->
          Optional.of(Refusals.tooManyWaiting("", record.job().spec().queue(), met).exception());
    };
  }

  /// Whether the vaults of its queue restrict the job.
  boolean hasVaults(JobRecord job, CatalogView catalog) {
    return catalog.vaults(job.job().spec().queue()).filter(vaults -> !vaults.isEmpty()).isPresent();
  }

  /// Refuses to requeue a job that is about to be forgotten, or that its queue does not admit.
  ///
  /// @param document where vaults restrict it
  void requireRequeueable(JobRecord record, Optional<Document> document, CatalogView catalog) {
    requireKept(record);
    requireAdmission(record, record.job().spec().queue(), () -> document, catalog);
  }

  private static void requireSteering(Viewer viewer, JobRecord record, String verb) {
    if (!viewer.steers(record.metadata().submitter(), record.metadata().policy())) {
      throw Refusal.permissionDenied(
              "NOT_OWNER",
              "%s was submitted by %s: only they, a lead of the group or an admin may %s it"
                  .formatted(record.name().id(), record.job().spec().user(), verb))
          .withMetadata("owner", record.job().spec().user().name())
          .exception();
    }
  }

  /// Refuses to requeue a job that retention is about to delete.
  private void requireKept(JobRecord record) {
    // Uses the leader's clock, because the leader deletes by it.
    if (record.state().isTerminal()
        && retention.isOver(record, Refusals.leading(true, () -> door.ask(LeaderView::now)))) {
      String keep = Durations.format(retention.keep());
      throw Refusal.failedPrecondition(
              "HISTORY_OVER",
              "%s ended more than %s ago and is about to be forgotten: submit it anew"
                  .formatted(record.name().id(), keep))
          .withMetadata("keep", keep)
          .exception();
    }
  }

  /// A requeued job passes the same admission check as a new one, whichever caller requeues it.
  ///
  /// @param id its queue from then on
  private void requireAdmission(JobRecord record, QueueId id, CatalogView catalog) {
    requireAdmission(
        record,
        id,
        () -> Optional.ofNullable(reader.documents(Set.of(record.id())).get(record.id())),
        catalog);
  }

  private static void requireAdmission(
      JobRecord record, QueueId id, Supplier<Optional<Document>> stored, CatalogView catalog) {
    Queue queue =
        catalog
            .queue(id)
            .orElseThrow(
                () -> CatalogRefusal.byAccess(() -> unknownQueue(record.tenant(), id, catalog)));
    JobMetadata metadata = record.metadata();
    if (!catalog.admits(queue, metadata.submitter(), metadata.byRole())) {
      throw notAdmitted(record, id);
    }
    VaultRules vaults = catalog.vaults(id).orElse(VaultRules.NONE);
    if (!vaults.isEmpty()) {
      stored.get().ifPresent(document -> JobVaults.demand("", JobMapper.spec(document), vaults));
    }
  }

  /// A queue that the job goes to is as good as absent where the caller does not see it, and the
  /// job's submitter must be admitted to it.
  private static void requireSeen(JobRecord record, QueueId id, CatalogView catalog) {
    Viewer viewer = Viewers.of(Principals.current(), record.tenant(), catalog);
    Queue queue =
        catalog
            .queue(id)
            .filter(known -> viewer.seesTeam(known.policy().name()))
            .orElseThrow(
                () -> CatalogRefusal.byAccess(() -> unknownQueue(record.tenant(), id, catalog)));
    JobMetadata metadata = record.metadata();
    if (!catalog.admits(queue, metadata.submitter(), metadata.byRole())) {
      throw SubmissionRules.notAdmitted("", id, catalog);
    }
  }

  private static Refusal unknownQueue(TenantId tenant, QueueId queue, CatalogView catalog) {
    return Refusals.unknownQueue(
        "", queue, catalog, Viewers.of(Principals.current(), tenant, catalog));
  }

  private static CatalogRefusal notAdmitted(JobRecord record, QueueId id) {
    String queue = id.name();
    return CatalogRefusal.byAccess(() ->
        Refusal.permissionDenied(
                "NOT_ADMITTED",
                "%s may no longer use queue '%s': an admin of the tenant can give the right back"
                    .formatted(record.job().spec().user(), queue))
            .withMetadata("queue", queue));
  }

  private static String wrongState(String job, JobState state, String verb) {
    String is = job + " is " + state.name().toLowerCase(Locale.ROOT) + ": ";
    return verb.equals("update")
        ? is + "only a job that waits or is a draft can be changed"
        : is + "it cannot be " + verb + "d now";
  }

  private RuntimeException refused(JobRecord record, String verb, Denial denial, Viewer viewer) {
    if (record.job().array().isPresent()
        && record.state().isTerminal()
        && denial instanceof Denial.WrongState) {
      return Refusal.failedPrecondition(
              "NOT_REQUEUABLE",
              "all elements of %s have started: headgate requeue --array %s --state failed"
                  .formatted(record.name().id(), record.name().id()))
          .withMetadata("state", record.state())
          .exception();
    }
    if (denial instanceof Denial.WrongState(var _, var state, var _)) {
      return Refusal.failedPrecondition(
              verb.equals("requeue") ? "NOT_REQUEUABLE" : "WRONG_STATE",
              wrongState(record.name().id(), state, verb))
          .withMetadata("state", state)
          .exception();
    }
    return CatalogRefusal.byAll(() ->
        denial instanceof Denial.UnknownQueue
            ? Refusals.unknownQueue(
                "", record.job().spec().queue(), Refusals.leading(true, door::catalog), viewer)
            : Refusal.failedPrecondition(
                    "NEVER_FITS", "the job could never start: " + ReasonText.sentence(denial))
                .withMetadata("queue", record.job().spec().queue().name()));
  }
}

package io.headgate.scheduler.grpc;

import io.headgate.kit.auth.Principals;
import io.headgate.kit.config.Durations;
import io.headgate.kit.failure.Refusal;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.VaultRules;
import io.headgate.scheduler.runtime.desk.Command.ChangeReply;
import io.headgate.scheduler.runtime.desk.LeaderView;
import io.headgate.scheduler.runtime.desk.WaitingBounds;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.scheduler.runtime.record.Retention;
import io.headgate.scheduler.runtime.text.ReasonText;
import io.headgate.type.Viewer;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Cancels and requeues jobs, for their submitters, for leads of their groups and for admins.
final class JobChanges {
  /// Attempts to change a job that other changes keep overtaking.
  private static final int TRIES = 20;

  private final LeaderDoor door;
  private final CatalogJudge judge;
  private final JobReads jobs;
  private final JobReader reader;
  private final Retention retention;

  JobChanges(EndpointParts parts, CatalogJudge judge, JobReads jobs) {
    this.door = parts.door();
    this.retention = parts.retention();
    this.judge = judge;
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
  Job requeue(JobName name) {
    return judge.judge(catalog ->
        change(
            name,
            "requeue",
            record -> {
              requireKept(record);
              requireAdmission(record, catalog);
              return Refusals.leading(false, () -> door.requeue(record, caller(), catalog));
            }));
  }

  private static String caller() {
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
      switch (change.apply(record)) {
        case ChangeReply.Changed(JobView view) -> {
          return JobReads.changed(view, spec, viewer);
        }
        case ChangeReply.Refused(Denial denial) -> throw refused(record, verb, denial, viewer);
        case ChangeReply.NotAdmitted() -> throw notAdmitted(record);
        case ChangeReply.TooManyWaiting(WaitingBounds.Met met) ->
            throw Refusals.tooManyWaiting("", record.job().spec().queue(), met).exception();
        case ChangeReply.Outdated() -> {
          // The loop is ahead of the database. Its state becomes durable in a moment, so the change
          // is retried.
        }
      }
    }
    throw Refusal.conflict("CONFLICT", name.id() + " changes too quickly; try again").exception();
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
  private void requireAdmission(JobRecord record, CatalogView catalog) {
    QueueId id = record.job().spec().queue();
    Queue queue =
        catalog
            .queue(id)
            .orElseThrow(() -> CatalogRefusal.byAccess(() -> unknownQueue(record, catalog)));
    JobMetadata metadata = record.metadata();
    if (!catalog.admits(queue, metadata.submitter(), metadata.byRole())) {
      throw notAdmitted(record);
    }
    VaultRules vaults = catalog.vaults(id).orElse(VaultRules.NONE);
    if (!vaults.isEmpty()) {
      Optional.ofNullable(reader.documents(Set.of(record.id())).get(record.id()))
          .ifPresent(document -> JobVaults.demand("", JobMapper.spec(document), vaults));
    }
  }

  private static Refusal unknownQueue(JobRecord record, CatalogView catalog) {
    return Refusals.unknownQueue(
        "",
        record.job().spec().queue(),
        catalog,
        Viewers.of(Principals.current(), record.tenant(), catalog));
  }

  private static CatalogRefusal notAdmitted(JobRecord record) {
    String queue = record.job().spec().queue().name();
    return CatalogRefusal.byAccess(() ->
        Refusal.permissionDenied(
                "NOT_ADMITTED",
                "%s may no longer use queue '%s': an admin of the tenant can give the right back"
                    .formatted(record.job().spec().user(), queue))
            .withMetadata("queue", queue));
  }

  private RuntimeException refused(JobRecord record, String verb, Denial denial, Viewer viewer) {
    if (denial instanceof Denial.WrongState(var _, var state, var _)) {
      return Refusal.failedPrecondition(
              verb.equals("requeue") ? "NOT_REQUEUABLE" : "WRONG_STATE",
              "%s is %s: it cannot be %sd now"
                  .formatted(record.name().id(), state.name().toLowerCase(Locale.ROOT), verb))
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

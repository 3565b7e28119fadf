package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.NodeCondition;
import io.headgate.scheduler.runtime.agent.ProgressReport;
import io.headgate.scheduler.runtime.agent.UseReport;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.VaultRules;
import io.headgate.scheduler.runtime.record.BudgetUse;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobRecord.DraftCause;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.scheduler.runtime.record.WorkerKey;
import io.headgate.scheduler.runtime.submission.Submission;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/// Something that the loop is to deal with. Replies are completed only when all that they rest on
/// is durable; if this leader ends before, with [LeadershipLostException].
public sealed interface Command {

  /// New jobs.
  record Submit(Submission submission, CompletableFuture<SubmitReply> reply) implements Command {}

  /// The outcome of a submission.
  sealed interface SubmitReply {
    /// In the order of the submission.
    record Accepted(List<JobView> jobs) implements SubmitReply {}

    /// Nothing was stored.
    ///
    /// @param index of the first job that cannot be
    record Refused(int index, Denial denial) implements SubmitReply {}

    /// Nothing was stored: by now the submitter may not use the queue.
    record NotAdmitted(int index) implements SubmitReply {}

    /// Nothing was stored: as many jobs wait as may.
    record TooManyWaiting(int index, WaitingBounds.Met met) implements SubmitReply {}

    /// Nothing was stored: a job that this one is to wait for has ended in another way.
    record NeverMet(int index, Dependency dependency, JobState ended) implements SubmitReply {}

    /// Nothing was stored: the caller's copy of a job to wait for is older than the durable one.
    record Outdated() implements SubmitReply {}
  }

  /// A user wants a job to end.
  ///
  /// @param known as the database had it
  record Cancel(
      JobRecord known,
      boolean skipCallback,
      Cancellation cancellation,
      CompletableFuture<ChangeReply> reply)
      implements Command {}

  /// A user wants a job to start anew.
  ///
  /// @param known as the database had it
  /// @param by id of the user or service account
  /// @param catalog by which it was judged
  /// @param moved to another queue; absent: it stays in its own
  /// @param prerequisites the jobs that it still waited for, as the database had them
  record Requeue(
      JobRecord known,
      String by,
      CatalogView catalog,
      Optional<Moved> moved,
      List<JobRecord> prerequisites,
      CompletableFuture<ChangeReply> reply)
      implements Command {}

  /// A job's other queue.
  ///
  /// @param document the job's specification with that queue
  record Moved(QueueId queue, Document document) {}

  /// A user changes a job that waits or is a draft.
  ///
  /// @param known as the database had it
  /// @param spec with all changes
  /// @param document the job's specification with all changes
  /// @param what the changes, for people: ` by ada: priority 5`
  /// @param catalog by which it was judged
  record Update(
      JobRecord known,
      JobSpec spec,
      Document document,
      String what,
      CatalogView catalog,
      CompletableFuture<ChangeReply> reply)
      implements Command {}

  /// Changes that one user asks for at once. Each one is answered by itself.
  record Many(List<Command> commands) implements Command {
    public Many {
      commands = List.copyOf(commands);
    }
  }

  /// The outcome of a change.
  sealed interface ChangeReply {
    record Changed(JobView job) implements ChangeReply {}

    record Refused(Denial denial) implements ChangeReply {}

    /// The job's submitter has lost the right to its queue meanwhile.
    record NotAdmitted() implements ChangeReply {}

    /// As many jobs wait as may.
    record TooManyWaiting(WaitingBounds.Met met) implements ChangeReply {}

    /// The caller's copy of the job, or of one that it waits for, is older than the durable one:
    /// read it again.
    record Outdated() implements ChangeReply {}

    /// A job that it is to wait for has ended in another way.
    record NeverMet(Dependency dependency, JobState ended) implements ChangeReply {}
  }

  /// An agent opened a stream.
  record Hello(AgentSession session, AgentHello hello) implements Command {}

  /// An agent reports.
  record Report(AgentSession session, long sequence, AgentReport report) implements Command {}

  /// An agent or its machine is being shut down.
  record Closing(AgentSession session) implements Command {}

  /// The usable parts of the node have changed.
  record Changed(AgentSession session, NodeCondition condition) implements Command {}

  /// Progress reports of programs on the node.
  record Progress(AgentSession session, List<ProgressReport> reports) implements Command {}

  /// Use that attempts on the node make of their slices.
  record Used(AgentSession session, List<UseReport> reports) implements Command {}

  /// A stream ended.
  record SessionEnded(AgentSession session) implements Command {}

  /// An assignment could not be handed over because its node has no stream.
  record Undelivered(AttemptId attempt, int worker) implements Command {}

  /// An assignment was not handed over because of vaults.
  ///
  /// @param vaults by which it was checked; empty: its queue or policy has gone, and with it the
  ///   rules
  /// @param draft why the job does not go back to its queue; empty: it does, because the rules are
  ///   unknown or its document cannot be read now
  record Barred(WorkerKey key, Optional<VaultRules> vaults, Optional<DraftCause> draft)
      implements Command {}

  /// Jobs that the loop had given out were held against vaults.
  ///
  /// @param forbidden those that may not run, and why
  record Judged(VaultDesk.Page page, Map<JobId, DraftCause> forbidden) implements Command {
    public Judged {
      forbidden = Map.copyOf(forbidden);
    }
  }

  /// Budgets were counted anew.
  record BudgetsCounted(List<BudgetUse> uses) implements Command {
    public BudgetsCounted {
      uses = List.copyOf(uses);
    }
  }

  /// A watched catalog moved.
  record CatalogMoved(String source, CatalogUpdate update) implements Command {}

  /// A question to the state as the loop sees it.
  record Ask<T>(Function<LeaderView, T> question, CompletableFuture<T> reply) implements Command {}
}

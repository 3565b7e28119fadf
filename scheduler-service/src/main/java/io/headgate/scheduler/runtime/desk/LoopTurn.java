package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.BudgetRecord;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.Event;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.NameCounter;
import io.headgate.scheduler.runtime.record.NodeContact;
import io.headgate.scheduler.runtime.record.WaitHistory;
import io.headgate.scheduler.runtime.record.WorkerKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One turn of the loop while it is being made: inputs of the core, rows to write, and what to do
/// once they are written. Confined to the loop until it is handed on.
public final class LoopTurn {
  final Instant now;
  final List<Input> inputs = new ArrayList<>();

  /// Jobs that the core does not know, or not yet, and that this turn may change.
  final Map<JobId, JobRecord> staged = new LinkedHashMap<>();

  /// Why jobs become drafts in this turn; absent: their queue was removed.
  final Map<JobId, JobRecord.DraftCause> drafts = new LinkedHashMap<>();

  /// The cancellations of this turn, with the users who asked for them.
  final Map<JobId, Cancellation> cancellations = new LinkedHashMap<>();

  /// Why jobs are requeued in this turn, to be appended to a sentence: `, as ada asked`.
  final Map<JobId, String> requeueCauses = new LinkedHashMap<>();

  /// Changes of jobs by users.
  final Map<JobId, Updated> updates = new LinkedHashMap<>();

  /// A changed job.
  ///
  /// @param what the changes, for people
  record Updated(JobMetadata metadata, String what) {}

  /// By index of input: what to do if the core refuses it.
  final Map<Integer, Consumer<Denial>> refusals = new LinkedHashMap<>();

  /// The documents of new and changed jobs.
  final Map<JobId, Document> documents = new LinkedHashMap<>();

  /// Workers that this turn gives up because no agent was told to start them. They must not be sent
  /// to an agent any more.
  final Set<WorkerKey> rejected = new LinkedHashSet<>();

  final Set<JobId> created = new LinkedHashSet<>();
  final Map<JobId, JobRecord> jobs = new LinkedHashMap<>();
  final Map<AttemptId, AttemptRecord> attempts = new LinkedHashMap<>();
  final Map<JobId, Hold> holds = new LinkedHashMap<>();
  final Set<JobId> releasedHolds = new LinkedHashSet<>();
  final List<PastUse> pastUse = new ArrayList<>();
  final Entries usage = Entries.empty();

  /// The last state of each budget: a statement writes a row once.
  final Map<Budget.Key, BudgetRecord> budgets = new LinkedHashMap<>();

  final List<WaitHistory> waits = new ArrayList<>();
  final List<EventRecord> events = new ArrayList<>();
  final List<Batch.RequestRecord> requests = new ArrayList<>();
  final Map<String, NameCounter> names = new LinkedHashMap<>();
  final List<NodeContact> contacts = new ArrayList<>();
  final Map<String, Batch.CatalogChange> catalogs = new LinkedHashMap<>();
  final List<Dispatch> dispatches = new ArrayList<>();

  /// Jobs whose reason changed although nothing of them is stored anew.
  final Set<JobId> touched = new LinkedHashSet<>();

  final List<Reply<?>> replies = new ArrayList<>();

  /// A reply to a caller: computed on the loop after the decision, delivered once the turn is
  /// durable.
  public static final class Reply<T> {
    private final CompletableFuture<T> future;
    private final Supplier<T> compute;
    private @Nullable T answer;
    private @Nullable RuntimeException failure;

    Reply(CompletableFuture<T> future, Supplier<T> compute) {
      this.future = future;
      this.compute = compute;
    }

    /// A question that cannot be answered is its asker's failure, and no reason to end the
    /// leadership.
    public void settle() {
      try {
        answer = compute.get();
      } catch (RuntimeException e) {
        failure = e;
      }
    }

    public void complete() {
      if (failure != null) {
        future.completeExceptionally(failure);
      } else {
        future.complete(Objects.requireNonNull(answer, "not settled"));
      }
    }

    public void fail(Throwable cause) {
      future.completeExceptionally(cause);
    }
  }

  public LoopTurn(Instant now) {
    this.now = now;
  }

  public boolean isEmpty() {
    return inputs.isEmpty()
        && jobs.isEmpty()
        && attempts.isEmpty()
        && events.isEmpty()
        && usage.isEmpty()
        && budgets.isEmpty()
        && contacts.isEmpty()
        && catalogs.isEmpty()
        && dispatches.isEmpty()
        && replies.isEmpty();
  }

  void note(Event event) {
    events.add(event.at(now));
  }

  void count(NameCounter counter) {
    TenantId tenant = counter.tenant();
    names.merge(
        tenant + "/" + counter.prefix(),
        counter,
        (one, two) -> one.last() >= two.last() ? one : two);
  }

  /// A job that waits becomes a draft.
  void withdraw(JobRecord job, JobRecord.DraftCause cause) {
    drafts.put(job.id(), cause);
    inputs.add(new Input.JobWithdrawn(job.id()));
  }

  /// The rows, with versions given out from `version` on.
  public Batch batch(long id, long version) {
    long next = version;
    List<EventRecord> numbered = new ArrayList<>(events.size());
    for (EventRecord event : events) {
      next++;
      numbered.add(event.atVersion(next));
    }
    touched.removeAll(jobs.keySet());
    if (events.isEmpty() && !(jobs.isEmpty() && touched.isEmpty())) {
      next++;
    }
    List<Batch.NewJob> newJobs = new ArrayList<>();
    List<Batch.NewJob> changedDocuments = new ArrayList<>();
    List<JobRecord> changed = new ArrayList<>();
    for (Map.Entry<JobId, JobRecord> entry : jobs.entrySet()) {
      JobRecord job = entry.getValue().atVersion(next);
      entry.setValue(job);
      if (created.contains(job.id())) {
        newJobs.add(new Batch.NewJob(job, documents.getOrDefault(job.id(), Document.EMPTY)));
      } else {
        changed.add(job);
        if (documents.containsKey(job.id())) {
          changedDocuments.add(new Batch.NewJob(job, documents.get(job.id())));
        }
      }
    }
    releasedHolds.removeAll(holds.keySet());
    return new Batch(
        id,
        next,
        newJobs,
        changedDocuments,
        changed,
        List.copyOf(attempts.values()),
        List.copyOf(holds.values()),
        List.copyOf(releasedHolds),
        List.copyOf(pastUse),
        usage,
        List.copyOf(budgets.values()),
        List.copyOf(waits),
        numbered,
        List.copyOf(requests),
        List.copyOf(names.values()),
        List.copyOf(contacts),
        Map.copyOf(catalogs));
  }

  public Instant now() {
    return now;
  }

  public List<Input> inputs() {
    return inputs;
  }

  public Map<JobId, JobRecord> jobs() {
    return jobs;
  }

  public Map<Integer, Consumer<Denial>> refusals() {
    return refusals;
  }

  public List<Reply<?>> replies() {
    return replies;
  }

  public List<Dispatch> dispatches() {
    return dispatches;
  }

  public Set<JobId> touched() {
    return touched;
  }
}

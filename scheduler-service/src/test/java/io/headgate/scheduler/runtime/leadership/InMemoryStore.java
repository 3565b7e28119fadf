package io.headgate.scheduler.runtime.leadership;

import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.core.SchedulerState.Demanded;
import io.headgate.scheduler.core.SchedulerState.ObservedRuns;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.scheduler.core.job.RunTimes;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.Budget;
import io.headgate.scheduler.runtime.record.BudgetRecord;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobReader;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.NodeContact;
import io.headgate.scheduler.runtime.record.SchedulerStore;
import io.headgate.scheduler.runtime.record.StoredKeys;
import io.headgate.scheduler.runtime.record.WaitHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongSupplier;

/// The leader's store without a database: one row of leadership and the rows of jobs, with the
/// conditions of the real statements. Several replicas may share one. Not thread-safe.
final class InMemoryStore implements SchedulerStore, JobReader {
  private static final UUID INCARNATION = new UUID(0, 1);

  private static final Set<AttemptRecord.Outcome> BY_ITSELF =
      Set.of(
          AttemptRecord.Outcome.SUCCEEDED,
          AttemptRecord.Outcome.FAILED,
          AttemptRecord.Outcome.TIMED_OUT);

  private final LongSupplier nanos;
  private final Map<JobId, JobRecord> jobs = new LinkedHashMap<>();
  private final Map<AttemptId, AttemptRecord> attempts = new LinkedHashMap<>();
  private final Map<AttemptId, AttemptRecord> live = new LinkedHashMap<>();
  private final Map<JobId, Hold> holds = new LinkedHashMap<>();
  private final Map<List<Object>, PastUse> pastUse = new LinkedHashMap<>();
  private final Map<Budget.Key, BudgetRecord> budgets = new TreeMap<>();
  private final StoredUsage usage = new StoredUsage();
  private final Map<List<Object>, WaitHistory> waits = new LinkedHashMap<>();
  private final List<EventRecord> events = new ArrayList<>();
  private final Map<NodeId, NodeContact> contacts = new TreeMap<>();
  private final Map<JobId, Document> documents = new LinkedHashMap<>();
  private final Map<String, Batch.RequestRecord> requests = new LinkedHashMap<>();
  private final Map<String, JobId> names = new LinkedHashMap<>();
  private final Map<String, LoadedState.Catalog> catalogs = new TreeMap<>();
  private Leadership leadership =
      new Leadership(INCARNATION, 0, Optional.empty(), Optional.empty(), Optional.empty());
  private long leaseUntil;
  private long renewedAt;
  private long lastBatch;
  private long version;
  private boolean isFenced = true;

  /// @param nanos the database's clock
  InMemoryStore(LongSupplier nanos) {
    this.nanos = nanos;
    this.leaseUntil = nanos.getAsLong();
    this.renewedAt = leaseUntil;
  }

  /// From now on it takes batches of any epoch.
  void takeAnyEpoch() {
    isFenced = false;
  }

  @Override
  public Row leadership() {
    long now = nanos.getAsLong();
    return new Row(
        leadership,
        Duration.ofNanos(leaseUntil - now),
        Duration.ofNanos(now - renewedAt),
        lastBatch,
        version);
  }

  @Override
  public Optional<Row> takeOver(Candidate candidate, boolean holderLost) {
    long now = nanos.getAsLong();
    boolean isFree =
        leadership.leader().isEmpty()
            || leaseUntil <= now
            || (holderLost && renewedAt + candidate.missed().toNanos() <= now);
    if (!isFree) {
      return Optional.empty();
    }
    leadership =
        new Leadership(
            INCARNATION,
            leadership.epoch() + 1,
            Optional.of(candidate.name()),
            Optional.of(candidate.address()),
            Optional.of(Instant.EPOCH.plusNanos(now)));
    renewedAt = now;
    leaseUntil = now + candidate.lease().toNanos();
    return Optional.of(leadership());
  }

  /// The ledger of usage.
  StoredUsage usage() {
    return usage;
  }

  @Override
  public LoadedState sample(int most) {
    return load();
  }

  @Override
  public LoadedState load() {
    return new LoadedState(
        jobs.values().stream().filter(job -> isAlive(job.state())).toList(),
        List.copyOf(live.values()),
        List.copyOf(holds.values()),
        List.copyOf(contacts.values()),
        demand(),
        runTimes(),
        List.copyOf(pastUse.values()),
        usage.told(),
        List.copyOf(budgets.values()),
        List.copyOf(waits.values()),
        Map.copyOf(catalogs),
        jobs.keySet().stream().mapToLong(JobId::value).max().orElse(0),
        version,
        lastBatch);
  }

  private List<Demanded> demand() {
    Map<ProfileId, Long> counts = new TreeMap<>();
    jobs.values().stream()
        .sorted(Comparator.comparingLong((JobRecord job) -> job.id().value()).reversed())
        .limit(LoadedState.LAST_JOBS)
        .forEach(job ->
            counts.merge(new ProfileId(job.tenant(), job.metadata().profile()), 1L, Long::sum));
    return counts.entrySet().stream()
        .map(each -> new Demanded(each.getKey(), each.getValue(), 0))
        .toList();
  }

  private List<ObservedRuns> runTimes() {
    Map<QueueId, RunTimes> runs = new TreeMap<>();
    for (AttemptRecord record : attempts.values()) {
      Attempt attempt = record.attempt();
      Optional<StopCause> cause = attempt.stop().map(StopOrder::cause);
      if (record.ending().filter(ending -> BY_ITSELF.contains(ending.outcome())).isPresent()
          && attempt.startedAt().isPresent()
          && (cause.isEmpty() || cause.get() instanceof StopCause.WorkerEnded)) {
        QueueId queue = jobs.get(attempt.id().job()).job().spec().queue();
        Instant ended = record.ending().orElseThrow().at();
        runs.computeIfAbsent(queue, key -> new RunTimes())
            .add(Duration.between(attempt.startedAt().orElseThrow(), ended));
      }
    }
    return runs.entrySet().stream()
        .map(each -> new ObservedRuns(each.getKey(), each.getValue().state()))
        .toList();
  }

  private static boolean isAlive(JobState state) {
    return !state.isTerminal() && state != JobState.DRAFT;
  }

  @Override
  public CommitResult commit(Leadership leader, Duration lease, Batch batch) {
    return commit(leader, lease, batch, nanos.getAsLong());
  }

  /// @param fencedAt when its first statement ran, by the database's clock
  CommitResult commit(Leadership leader, Duration lease, Batch batch, long fencedAt) {
    if (isFenced && !isLeader(leader)) {
      return new CommitResult.Deposed(leadership);
    }
    if (lastBatch != batch.id() - 1 && !(batch.isRenewal() && lastBatch == batch.id())) {
      return new CommitResult.Unknown(new IllegalStateException("too late"));
    }
    batch
        .newJobs()
        .forEach(job -> demand(!names.containsKey(job.job().name().id()), "job", job.job()));
    batch.requests().forEach(each -> demand(!requests.containsKey(key(each)), "request", each));
    lastBatch = batch.id();
    version = batch.version();
    renewedAt = fencedAt;
    leaseUntil = fencedAt + lease.toNanos();
    for (Batch.NewJob job : batch.newJobs()) {
      jobs.put(job.job().id(), job.job());
      names.put(job.job().name().id(), job.job().id());
      documents.put(job.job().id(), job.document());
    }
    batch.jobs().forEach(job -> jobs.put(job.id(), job));
    for (AttemptRecord attempt : batch.attempts()) {
      attempts.put(attempt.id(), attempt);
      if (attempt.ending().isPresent()) {
        live.remove(attempt.id());
      } else {
        live.put(attempt.id(), attempt);
      }
    }
    batch.releasedHolds().forEach(holds::remove);
    batch.holds().forEach(hold -> holds.put(hold.job(), hold));
    usage.add(batch.usage(), batch.events());
    if (batch.budgets().stream().map(each -> each.use().key()).distinct().count()
        < batch.budgets().size()) {
      throw new AssertionError("PostgreSQL writes no row twice in one statement");
    }
    batch.budgets().forEach(each -> budgets.put(each.use().key(), each));
    budgets.values().removeIf(each -> each.state() == Budget.State.OK);
    for (PastUse past : batch.pastUse()) {
      List<Object> key = List.of(past.pool(), past.level());
      if (past.isNothing()) {
        pastUse.remove(key);
      } else {
        pastUse.put(key, past);
      }
    }
    for (WaitHistory history : batch.waits()) {
      List<Object> key = List.of(history.tenant(), history.subject());
      if (history.reasons().isEmpty()) {
        waits.remove(key);
      } else {
        waits.put(key, history);
      }
    }
    events.addAll(batch.events());
    batch.contacts().forEach(contact -> contacts.put(contact.node(), contact));
    batch.catalogs().forEach(this::store);
    batch.requests().forEach(each -> requests.put(key(each), each));
    return new CommitResult.Committed();
  }

  private void store(String source, Batch.CatalogChange change) {
    Map<String, CatalogEntry> entries = new TreeMap<>();
    if (!change.snapshot()) {
      catalogs
          .getOrDefault(source, LoadedState.Catalog.NONE)
          .entries()
          .forEach(entry -> entries.put(entry.key(), entry));
    }
    change.removedKeys().forEach(entries::remove);
    change.entries().forEach(entry -> entries.put(entry.key(), entry));
    catalogs.put(source, new LoadedState.Catalog(change.position(), List.copyOf(entries.values())));
  }

  private static void demand(boolean isUnique, String what, Object value) {
    if (!isUnique) {
      throw new IllegalStateException("duplicate key: " + what + " " + value);
    }
  }

  private boolean isLeader(Leadership leader) {
    return leadership.epoch() == leader.epoch() && leadership.leader().equals(leader.leader());
  }

  @Override
  public Resolution resolve(Leadership leader, Duration lease, long batch) {
    if (!isLeader(leader)) {
      return new Resolution.Deposed(leadership);
    }
    return lastBatch >= batch ? new Resolution.Happened() : new Resolution.DidNotHappen(lastBatch);
  }

  @Override
  public void release(Leadership leader) {
    if (isLeader(leader)) {
      leadership =
          new Leadership(
              INCARNATION,
              leadership.epoch(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty());
      leaseUntil = nanos.getAsLong();
    }
  }

  /// Every event, in order.
  List<EventRecord> everyEvent() {
    return events;
  }

  /// Reasons that lanes and jobs have waited for.
  Collection<WaitHistory> waits() {
    return waits.values();
  }

  /// Every job that was ever stored.
  Collection<JobRecord> everyJob() {
    return jobs.values();
  }

  JobRecord job(JobId id) {
    return Objects.requireNonNull(jobs.get(id), "no such job");
  }

  /// How far the source was followed.
  WatchPosition position(String source) {
    return catalogs.getOrDefault(source, LoadedState.Catalog.NONE).position();
  }

  /// The id of a job by its name; an id that no job has, if there is no such job.
  JobId id(String name) {
    return names.getOrDefault(name, new JobId(Long.MAX_VALUE));
  }

  Optional<AttemptRecord> attempt(AttemptId id) {
    return Optional.ofNullable(attempts.get(id));
  }

  Collection<AttemptRecord> liveAttempts() {
    return live.values();
  }

  Collection<AttemptRecord> everyAttempt() {
    return attempts.values();
  }

  private static String key(Batch.RequestRecord request) {
    return request.subject() + "/" + request.requestId();
  }

  @Override
  public Optional<Batch.RequestRecord> request(String subject, String requestId) {
    return Optional.ofNullable(requests.get(subject + "/" + requestId));
  }

  @Override
  public Optional<JobRecord> job(JobName name) {
    return Optional.ofNullable(names.get(name.id())).map(jobs::get);
  }

  @Override
  public Map<JobId, Document> documents(Collection<JobId> wanted) {
    Map<JobId, Document> found = new LinkedHashMap<>();
    wanted.forEach(job -> found.put(job, documents.get(job)));
    return found;
  }

  @Override
  public long version() {
    return version;
  }

  // Queries of endpoints, which a leader never makes.

  @Override
  public List<JobRecord> jobs(Collection<JobId> ids) {
    throw new UnsupportedOperationException();
  }

  @Override
  public StoredKeys names() {
    throw new UnsupportedOperationException();
  }

  @Override
  public StoredKeys requests() {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<AttemptRecord> attempts(JobId job, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Map<JobId, AttemptRecord> lastAttempts(Collection<JobId> ids) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<JobRecord> page(TenantId tenant, Filter filter, OptionalLong before, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<JobRecord> oldest(TenantId tenant, Filter filter, long after, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Map<JobState, Long> counts(TenantId tenant, Filter filter) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Changes changes(TenantId tenant, long since, long after, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public EventPage events(EventFilter filter, OptionalLong before, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Events eventsAfter(EventFilter filter, long after, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<Document> catalogEntry(String source, TenantId tenant) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long lastNumber(TenantId tenant, String prefix) {
    throw new UnsupportedOperationException();
  }
}

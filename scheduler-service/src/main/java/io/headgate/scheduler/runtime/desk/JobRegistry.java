package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobArray;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobRecord.DraftCause;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.WorkerKey;
import io.headgate.scheduler.runtime.record.WorkerName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The jobs that wait or have an attempt, with the facts that the core does not need. Confined to
/// the loop.
public final class JobRegistry {
  /// Bound on remembered departed jobs, which detect a change that is based on an outdated record.
  /// Also the bound on remembered ended attempts, which tell a late report from an unknown attempt.
  private static final int REMEMBERED = 100_000;

  private final Map<JobId, JobRecord> jobs;
  private final Map<JobName, JobId> names;
  private final Map<JobId, Hold> holds = new LinkedHashMap<>();
  private final QueueTotals totals = new QueueTotals();
  private final WaitingCounts waiting = new WaitingCounts();
  private final Map<JobId, AttemptRecord> attempts = new HashMap<>();
  private final Map<NodeId, Set<WorkerKey>> byNode = new HashMap<>();

  /// Units by order of assignment.
  private final Map<PolicyId, NavigableMap<Long, Long>> byPolicy = new HashMap<>();

  private final Map<JobId, DraftCause> bars = new HashMap<>();
  private final Map<JobId, Long> departed = new LinkedHashMap<>();

  /// The uids of the jobs of ended attempts.
  private final Map<EndedAttempt, String> ended = new LinkedHashMap<>();

  private record EndedAttempt(JobName job, int number) {}

  private JobRegistry(int expected) {
    jobs = HashMap.newHashMap(expected);
    names = HashMap.newHashMap(expected);
  }

  static JobRegistry load(LoadedState state) {
    JobRegistry registry = new JobRegistry(state.jobs().size());
    state.jobs().forEach(registry::put);
    state.attempts().forEach(registry::begin);
    return registry;
  }

  public Optional<JobRecord> job(JobId id) {
    return Optional.ofNullable(jobs.get(id));
  }

  public Optional<JobRecord> job(JobName name) {
    JobId id = names.get(name);
    return id == null ? Optional.empty() : job(id);
  }

  /// The live elements of the array, by their numbers.
  List<JobRecord> elements(JobRecord array) {
    JobArray known = array.job().array().orElseThrow();
    List<JobRecord> elements = new ArrayList<>();
    for (int number = 1; number <= known.size(); number++) {
      job(known.idOf(array.id(), number)).ifPresent(elements::add);
    }
    return elements;
  }

  /// The live attempt.
  Optional<AttemptRecord> attempt(JobId id) {
    return Optional.ofNullable(attempts.get(id));
  }

  /// The live attempt, if it has this number.
  Optional<AttemptRecord> attempt(AttemptId id) {
    return attempt(id.job()).filter(attempt -> attempt.id().equals(id));
  }

  /// The live attempt whose worker the node has; empty for attempts of other nodes.
  Optional<AttemptRecord> attempt(NodeId node, WorkerName worker) {
    // A shared node runs jobs of all tenants; below it must have this very worker.
    if (!worker.job().tenant().equals(node.tenant()) && !node.tenant().equals(TenantId.PLATFORM)) {
      return Optional.empty();
    }
    return job(worker.job())
        // The record may be of a job that had the name before.
        .filter(job -> worker.uid().isEmpty() || worker.uid().equals(job.uid()))
        .flatMap(job -> attempt(new AttemptId(job.id(), worker.attempt())))
        .filter(attempt -> attempt.isOn(node, worker.worker()));
  }

  Iterable<JobRecord> jobs() {
    return jobs.values();
  }

  int count() {
    return jobs.size();
  }

  public List<JobRecord> all() {
    return new ArrayList<>(jobs.values());
  }

  /// The slices held for waiting jobs.
  Collection<Hold> holds() {
    return Collections.unmodifiableCollection(holds.values());
  }

  /// The hold of a job; empty: it has none.
  Optional<Hold> holdOf(JobId job) {
    return Optional.ofNullable(holds.get(job));
  }

  void hold(Hold hold) {
    holds.put(hold.job(), hold);
  }

  void release(JobId job) {
    holds.remove(job);
  }

  /// The numbers of waiting jobs.
  WaitingCounts waiting() {
    return waiting;
  }

  List<LeaderView.Total> totals() {
    return totals.totals();
  }

  public void put(JobRecord job) {
    JobRecord before = jobs.put(job.id(), job);
    if (before != null) {
      uncount(before);
    }
    totals.add(job);
    if (job.state() == JobState.WAITING) {
      waiting.add(job);
    }
    names.put(job.name(), job.id());
    departed.remove(job.id());
  }

  private void uncount(JobRecord job) {
    totals.remove(job);
    if (job.state() == JobState.WAITING) {
      waiting.remove(job);
    }
  }

  /// The job no longer waits and has no attempt.
  void remove(JobRecord job) {
    JobRecord before = jobs.remove(job.id());
    if (before != null) {
      uncount(before);
    }
    names.remove(job.name());
    bars.remove(job.id());
    departed(job.id(), job.version());
  }

  /// The job does not go back to its queue when its attempt has ended.
  void bar(JobId job, DraftCause cause) {
    bars.put(job, cause);
  }

  /// Jobs of these queues go back to them again.
  void liftBars(Set<QueueId> queues) {
    bars.keySet()
        .removeIf(
            id -> job(id).filter(job -> queues.contains(job.job().spec().queue())).isPresent());
  }

  /// Why the job does not go back to its queue, if so.
  Optional<DraftCause> bar(JobId job) {
    return Optional.ofNullable(bars.get(job));
  }

  /// The version at which the job left, if it did lately.
  @Nullable Long departedAt(JobId job) {
    return departed.get(job);
  }

  public void departed(JobId job, long version) {
    departed.put(job, version);
    if (departed.size() > REMEMBERED) {
      removeFirst(departed.keySet());
    }
  }

  /// Whether the attempt ended lately, so that news of its life is only late.
  boolean hasEnded(AgentReport report) {
    String uid = ended.get(new EndedAttempt(report.job(), report.attempt()));
    return uid != null && (report.uid().isEmpty() || report.uid().equals(uid));
  }

  void begin(AttemptRecord attempt) {
    attempts.put(attempt.id().job(), attempt);
    count(attempt);
    List<WorkerPlace> places = attempt.attempt().assignment().workers();
    for (int i = 0; i < places.size(); i++) {
      byNode
          .computeIfAbsent(places.get(i).node(), _ -> new LinkedHashSet<>())
          .add(new WorkerKey(attempt.id(), i));
    }
  }

  void change(AttemptRecord attempt) {
    AttemptRecord before = attempts.put(attempt.id().job(), attempt);
    if (before != null
        && (isSuspended(before) != isSuspended(attempt)
            || before.attempt().sequence() != attempt.attempt().sequence())) {
      uncount(before);
      count(attempt);
    }
  }

  private static boolean isSuspended(AttemptRecord attempt) {
    return attempt.attempt().workers().getFirst() == WorkerStatus.SUSPENDED;
  }

  private void count(AttemptRecord attempt) {
    if (!isSuspended(attempt)) {
      byPolicy
          .computeIfAbsent(attempt.attempt().policy(), _ -> new TreeMap<>())
          .put(attempt.attempt().sequence(), attempt.attempt().assignment().units());
    }
  }

  private void uncount(AttemptRecord attempt) {
    NavigableMap<Long, Long> ofPolicy = byPolicy.get(attempt.attempt().policy());
    if (ofPolicy != null) {
      ofPolicy.remove(attempt.attempt().sequence());
      if (ofPolicy.isEmpty()) {
        byPolicy.remove(attempt.attempt().policy());
      }
    }
  }

  void end(AttemptRecord attempt) {
    attempts.remove(attempt.id().job());
    job(attempt.id().job())
        .ifPresent(
            job -> ended.put(new EndedAttempt(job.name(), attempt.id().number()), job.uid()));
    if (ended.size() > REMEMBERED) {
      removeFirst(ended.keySet());
    }
    uncount(attempt);
    List<WorkerPlace> places = attempt.attempt().assignment().workers();
    for (int i = 0; i < places.size(); i++) {
      NodeId node = places.get(i).node();
      Set<WorkerKey> there = byNode.get(node);
      if (there != null) {
        there.remove(new WorkerKey(attempt.id(), i));
        if (there.isEmpty()) {
          byNode.remove(node);
        }
      }
    }
  }

  /// The policy's usage by this attempt and the attempts assigned before it.
  long unitsUpTo(AttemptRecord attempt) {
    long units = 0;
    for (long each :
        byPolicy
            .getOrDefault(attempt.attempt().policy(), new TreeMap<>())
            .headMap(attempt.attempt().sequence(), true)
            .values()) {
      units += each;
    }
    return units;
  }

  /// Workers of live attempts on the node, ended ones of a gang included.
  List<WorkerKey> workersOn(NodeId node) {
    return new ArrayList<>(byNode.getOrDefault(node, Set.of()));
  }

  private static void removeFirst(Set<?> set) {
    var first = set.iterator();
    first.next();
    first.remove();
  }
}

package io.headgate.scheduler.runtime.leadership;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.LeadershipHistory;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.runtime.ledger.Updates;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.catalog.CatalogSource;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// Checks the database and the messages against the machines, at every change of either.
///
/// | rule | checked at |
/// |---|---|
/// | no attempt starts twice, no two attempts of a job live at once | every start on a machine |
/// | machines share no slice and pass no limit | every start on a machine |
/// | stored attempts share no slice and pass no limit | every commit |
/// | an attempt ends in the database after it ended on the machines | every commit |
/// | a stored checkpoint never gets older | every commit |
/// | no new attempt is placed on a node that has not reported to this leader | every commit |
/// | no job is preempted while a leader waits for nodes to report | every commit |
/// | no agent is told to start a job that the vaults of its assignment forbid | every message |
/// | a job becomes a draft only by vaults that its leader has not yet seen replaced | every commit |
/// | no job waits that vaults forbid | after the faults |
/// | no message announces an assignment or an end before it is durable | every message |
/// | the leadership that an agent obeys never falls back | every record |
/// | an accepted job is durable | every answer |
/// | every job ends, and as it ended on the machines | rest |
/// | the ledger of usage says what the events say, to the millisecond | rest |
final class Auditor {
  private final List<Policy> policies;
  private final SimulatedVaults vaults;
  private final Map<AttemptKey, SimulatedMachine> started = new LinkedHashMap<>();
  private final Set<AttemptKey> prepared = new HashSet<>();
  private final Map<AttemptKey, SimulatedJob> live = new TreeMap<>();
  private final Map<Long, Reports> reports = new HashMap<>();
  private final Set<AttemptId> preempted = new HashSet<>();
  private final Map<AttemptId, Instant> checkpoints = new HashMap<>();

  /// The version that a leader knew when it decided.
  private final Map<AttemptId, Long> vaultsOfAttempts = new HashMap<>();

  private final World world;
  private final long windowNanos;
  private InMemoryStore store;
  private int startedBesideAwaited;
  private int resumed;
  private int forbidden;

  /// The nodes that spoke to a leader, and those that a new one may expect.
  private record Reports(Set<NodeId> expected, Set<NodeId> heard, long windowEnds) {
    boolean areDue(long now) {
      return now < windowEnds && !heard.containsAll(expected);
    }
  }

  /// @param window how long a new leader waits for nodes to report
  Auditor(List<Policy> policies, SimulatedVaults vaults, World world, Duration window) {
    this.policies = policies;
    this.vaults = vaults;
    this.world = world;
    // The leader's clock may run a fortieth fast (World.clock), and each message makes it check the
    // window.
    this.windowNanos = window.toNanos() * 39 / 40;
    this.store = new InMemoryStore(() -> 0);
  }

  void watch(InMemoryStore books) {
    store = books;
  }

  private static void demand(boolean holds, String rule, Object... details) {
    if (!holds) {
      throw new AssertionError(rule.formatted(details));
    }
  }

  // On the machines.

  void started(SimulatedMachine machine, SimulatedJob job) {
    AttemptKey key = job.key();
    demand(
        !started.containsKey(key), "%s starts on %s, and has started before", key, machine.name());
    started.put(key, machine);
    for (SimulatedJob other : live.values()) {
      demand(
          !other.key().job().equals(key.job()) || other.key().attempt() == key.attempt(),
          "%s starts on %s while %s lives",
          key,
          machine.name(),
          other.key());
    }
    demand(store.attempt(id(key)).isPresent(), "%s starts, which is not in the books", key);
    for (int worker = 0;
        job.assignment().startBarrier() && worker < job.assignment().workers();
        worker++) {
      AttemptKey other = new AttemptKey(key.job(), key.uid(), key.attempt(), worker);
      demand(prepared.contains(other), "%s starts, and %s was never prepared", key, other);
    }
    live.put(key, job);
    demandSlices(key, "starts");
  }

  /// The address of a gang's worker is on the disk of its machine.
  void prepared(AttemptKey key) {
    prepared.add(key);
  }

  /// Checks a job that is resumed.
  void goesOn(SimulatedMachine machine, SimulatedJob job) {
    resumed++;
    demand(machine.suspension(job.key()) == 0, "%s goes on and counts as suspended", job.key());
    demandSlices(job.key(), "goes on");
  }

  private void demandSlices(AttemptKey key, String happens) {
    Map<String, Long> units = new HashMap<>();
    Map<String, Long> byPolicy = new HashMap<>();
    for (SimulatedJob each : live.values()) {
      if (each.isFrozen()) {
        continue;
      }
      long sum = 0;
      for (SliceGrant grant : each.assignment().slices()) {
        sum += grant.gpus().units();
        long used = units.merge(grant.deviceUuid(), grant.gpus().units(), Long::sum);
        demand(
            used <= GpuQuantity.UNITS_PER_GPU,
            "%s %s on a slice of %s that another has",
            key,
            happens,
            grant.deviceUuid());
      }
      byPolicy.merge(policy(each.key()), sum, Long::sum);
    }
    demandLimits(byPolicy, "on the machines, when " + key + " " + happens);
  }

  private String policy(AttemptKey key) {
    return store.attempt(id(key)).orElseThrow().attempt().policy().name();
  }

  private AttemptId id(AttemptKey key) {
    return new AttemptId(store.id(key.job().id()), key.attempt());
  }

  private void demandLimits(Map<String, Long> units, String where) {
    for (Policy policy : policies) {
      long used = units.getOrDefault(policy.id().name(), 0L);
      demand(
          used <= policy.limit().units(),
          "%s uses %s GPUs of %s, %s",
          policy.id(),
          GpuQuantity.format(used),
          policy.limit(),
          where);
    }
  }

  void ended(SimulatedMachine machine, SimulatedJob job) {
    live.remove(job.key());
  }

  void obeyed(SimulatedMachine machine, LeadershipHistory before, LeadershipHistory after) {
    long earlier = before.highest().map(each -> each.epoch()).orElse(0L);
    long later = after.highest().orElseThrow().epoch();
    demand(later >= earlier, "%s obeys epoch %d after %d", machine.name(), later, earlier);
  }

  /// Checks that the scheduler has stored the reports that an agent drops after an acknowledgement.
  void acknowledged(SimulatedMachine machine, Collection<Updates.Entry> dropped) {
    for (Updates.Entry entry : dropped) {
      AttemptKey key = entry.report().key();
      if (entry.report().end().isPresent()) {
        Optional<AttemptRecord> record = store.attempt(id(key));
        boolean isKnown =
            record.isEmpty()
                || record.get().ending().isPresent()
                || record.get().workers().get(key.worker()).endReason().isPresent();
        demand(
            isKnown,
            "%s is told that the end of %s is durable, and it is not",
            machine.name(),
            key);
      }
    }
  }

  // In the books.

  void leads(SimulatedReplica replica, Leadership leadership) {
    Set<NodeId> expected = new HashSet<>();
    store.load().contacts().forEach(contact -> expected.add(contact.node()));
    Reports fresh = new Reports(expected, new HashSet<>(), world.now() + windowNanos);
    demand(
        reports.put(leadership.epoch(), fresh) == null,
        "%s leads in epoch %d, in which somebody led before",
        replica.name(),
        leadership.epoch());
  }

  void committed(SimulatedReplica replica, Batch batch) {
    long epoch = store.leadership().leadership().epoch();
    // A replica that renews its lease while it loads does not lead yet.
    Reports known = reports.getOrDefault(epoch, new Reports(Set.of(), new HashSet<>(), 0));
    boolean wereDue = known.areDue(world.now());
    Set<NodeId> heard = known.heard();
    batch.contacts().forEach(contact -> heard.add(contact.node()));
    boolean areDue = known.areDue(world.now());
    long version = store.position(CatalogSource.ACCESS).version();
    for (JobRecord job : batch.jobs()) {
      if (job.state() == JobState.DRAFT) {
        forbidden++;
        demand(isForbidden(version, job), "%s is a draft because of vaults that moved", job.name());
      }
    }
    batch.attempts().forEach(attempt -> vaultsOfAttempts.putIfAbsent(attempt.id(), version));
    for (AttemptRecord attempt : batch.attempts()) {
      Instant before = checkpoints.get(attempt.id());
      Optional<Instant> saved = attempt.attempt().checkpointAt();
      demand(
          before == null || saved.filter(at -> !at.isBefore(before)).isPresent(),
          "%s had saved its work at %s, and now at %s",
          attempt.id(),
          before,
          saved);
      saved.ifPresent(at -> checkpoints.put(attempt.id(), at));
      if (attempt.ending().isPresent()) {
        for (SimulatedJob each : live.values()) {
          demand(
              !id(each.key()).equals(attempt.id()),
              "%s is over in the books (%s) and lives on a machine",
              each.key(),
              attempt.ending().get().outcome());
        }
      } else if (attempt.epoch() == epoch) {
        for (WorkerPlace place : attempt.attempt().assignment().workers()) {
          demand(
              heard.contains(place.node()),
              "%s is placed on %s, which has not reported to epoch %d",
              attempt.id(),
              place.node(),
              epoch);
        }
        startedBesideAwaited += areDue ? 1 : 0;
      }
      if (attempt.attempt().stop().map(StopOrder::cause).orElse(null) instanceof StopCause.Preempted
          && preempted.add(attempt.id())) {
        demand(!wereDue || !areDue, "%s is preempted while nodes have not reported", attempt.id());
      }
    }
    Map<String, Long> units = new HashMap<>();
    Map<String, Long> byPolicy = new HashMap<>();
    for (AttemptRecord attempt : store.liveAttempts()) {
      if (attempt.attempt().workers().getFirst() == WorkerStatus.SUSPENDED) {
        continue;
      }
      List<WorkerPlace> places = attempt.attempt().assignment().workers();
      for (int i = 0; i < places.size(); i++) {
        if (attempt.attempt().workers().get(i).isLive()) {
          for (Slice slice : places.get(i).slices()) {
            long used = units.merge(slice.uuid(), slice.quantity().units(), Long::sum);
            demand(
                used <= GpuQuantity.UNITS_PER_GPU,
                "in the books %s shares a slice of %s",
                attempt.id(),
                slice.uuid());
          }
        }
      }
      byPolicy.merge(
          attempt.attempt().policy().name(), attempt.attempt().assignment().units(), Long::sum);
    }
    demandLimits(byPolicy, "in the books");
  }

  private boolean isForbidden(long version, JobRecord job) {
    Document document = store.documents(List.of(job.id())).get(job.id());
    return vaults.forbid(version, job.metadata().policy(), document);
  }

  /// Vaults moved a while ago.
  void nothingForbiddenWaits() {
    for (JobRecord job : store.everyJob()) {
      demand(
          job.state() != JobState.WAITING || !isForbidden(vaults.version(), job),
          "%s waits although vaults do not let it run",
          job.name());
    }
  }

  /// Jobs that became drafts because of vaults.
  int forbidden() {
    return forbidden;
  }

  /// The number of attempts placed while a leader waited for other nodes.
  int startedBesideAwaited() {
    return startedBesideAwaited;
  }

  /// How often something went on that was suspended.
  int resumed() {
    return resumed;
  }

  // In words.

  void said(SimulatedReplica replica, ConnectResponse message) {
    if (message.hasAssign()) {
      var assign = message.getAssign();
      String job = assign.getJob().substring(assign.getJob().lastIndexOf('/') + 1);
      AttemptId id = new AttemptId(store.id(job), assign.getAttempt());
      demand(
          store.attempt(id).isPresent(),
          "%s says that %s is to start, which is not durable",
          replica.name(),
          id);
      long by = Long.parseLong(assign.getEnvironmentOrDefault(SimulatedVaults.VARIABLE, "0"));
      demand(
          by >= vaultsOfAttempts.get(id) && !isForbidden(by, store.job(id.job())),
          "%s says that %s is to start, which vaults %d do not let run",
          replica.name(),
          id,
          by);
    }
  }

  /// A client is told that its jobs are accepted.
  void accepted(List<JobName> jobs) {
    for (JobName job : jobs) {
      demand(store.job(job).isPresent(), "%s is accepted and not durable", job);
    }
  }

  /// The jobs and attempts that have not ended; empty if all have.
  String unfinished(Collection<JobName> accepted) {
    StringBuilder left = new StringBuilder();
    for (JobName job : accepted) {
      Optional<JobRecord> record = store.job(job);
      demand(record.isPresent(), "%s was accepted and is lost", job);
      if (!record.get().state().isTerminal()
          && !(record.get().state() == JobState.DRAFT
              && isForbidden(vaults.version(), record.get()))) {
        left.append(' ').append(job.id()).append(' ').append(record.get().state());
      }
    }
    live.keySet().forEach(key -> left.append(" live ").append(key));
    return left.toString();
  }

  /// Everything has ended: as on the machines?
  void atRest() {
    store.usage().audit(store.everyJob());
    for (JobRecord job : store.everyJob()) {
      if (job.state() == JobState.DONE || job.state() == JobState.FAILED) {
        AttemptId last = new AttemptId(job.id(), job.job().attempts());
        AttemptRecord attempt = store.attempt(last).orElseThrow();
        boolean allWell = true;
        for (int worker = 0; worker < attempt.workers().size(); worker++) {
          AttemptKey key =
              new AttemptKey(
                  new io.headgate.agent.core.JobName(job.tenant().name(), job.name().id()),
                  job.uid(),
                  last.number(),
                  worker);
          SimulatedMachine machine = started.get(key);
          allWell &=
              machine != null
                  && machine
                      .job(key)
                      .flatMap(SimulatedJob::ending)
                      .filter(ending -> ending.exitCode().orElse(-1) == 0)
                      .isPresent();
        }
        demand(
            allWell == (job.state() == JobState.DONE),
            "%s is %s, but on the machines it ended %s",
            job.name(),
            job.state(),
            allWell ? "well" : "otherwise");
      }
    }
  }
}

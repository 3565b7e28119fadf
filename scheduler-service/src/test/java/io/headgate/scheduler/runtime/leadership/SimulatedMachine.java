package io.headgate.scheduler.runtime.leadership;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.JobProgress;
import io.headgate.agent.core.LeadershipHistory;
import io.headgate.agent.core.Observation;
import io.headgate.agent.runtime.ledger.AttemptRecords;
import io.headgate.agent.runtime.ledger.Updates;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A machine: the contents of its disk, and the jobs under its supervisors, with or without an
/// agent. It is the truth against which all other records are checked.
final class SimulatedMachine {
  private final World world;
  private final Auditor auditor;
  private final String name;
  private final World.Clock clock;
  private final Map<AttemptKey, Recorded> records = new LinkedHashMap<>();
  private final Map<AttemptKey, String> refused = new LinkedHashMap<>();
  private final Set<AttemptKey> prepared = new LinkedHashSet<>();
  private final Map<AttemptKey, Long> suspended = new HashMap<>();
  private final Map<AttemptKey, Long> notSuspended = new HashMap<>();
  private final Map<AttemptKey, SimulatedJob> jobs = new LinkedHashMap<>();
  private final Outbox outbox = new Outbox();
  private LeadershipHistory history = LeadershipHistory.NONE;
  private World.Life life;
  private int boot = 1;
  private double crashes;

  SimulatedMachine(World world, Auditor auditor, String name) {
    this.world = world;
    this.auditor = auditor;
    this.name = name;
    this.clock = world.clock();
    this.life = new World.Life(name + " kernel");
  }

  private record Recorded(
      Optional<Assignment> assignment,
      String bootId,
      long contactBootMs,
      Optional<AttemptReport> end) {}

  String name() {
    return name;
  }

  World.Clock clock() {
    return clock;
  }

  World.Life life() {
    return life;
  }

  long bootMs() {
    return clock.monotonicNanos() / World.MILLI;
  }

  String bootId() {
    return "boot-" + boot;
  }

  Outbox outbox() {
    return outbox;
  }

  /// How many of its jobs run.
  int running() {
    return (int) jobs.values().stream().filter(SimulatedJob::isLive).count();
  }

  /// Everything that was ever started.
  Iterable<SimulatedJob> jobs() {
    return jobs.values();
  }

  /// The progress that its jobs report.
  List<JobProgress> progress() {
    return jobs.values().stream()
        .filter(SimulatedJob::isLive)
        .map(job -> job.progress(bootMs()))
        .toList();
  }

  /// Kills one of its supervisors, if there is any.
  void killSupervisor() {
    List<SimulatedJob> live = jobs.values().stream().filter(SimulatedJob::isLive).toList();
    if (!live.isEmpty()) {
      world.befell(Fault.SUPERVISOR_KILLED);
      world.any(live).loseSupervisor();
    }
  }

  Optional<SimulatedJob> job(AttemptKey key) {
    return Optional.ofNullable(jobs.get(key));
  }

  /// How often its agent dies while it writes.
  void crashAtRecords(double probability) {
    crashes = probability;
  }

  /// Power is lost: only the contents of the disk are left.
  void powerOff() {
    world.note(() -> name + " loses power");
    world.befell(Fault.POWER_LOST);
    life.end();
    jobs.values().forEach(SimulatedJob::vanish);
  }

  boolean isOn() {
    return !life.isOver();
  }

  void powerOn() {
    boot++;
    life = new World.Life(name + " kernel");
  }

  /// Starts the attempt, unless a supervisor has had it or it was given up. The machine decides,
  /// whether or not the agent that asked still lives.
  ///
  /// @return empty: it was started or runs; otherwise why it never runs here
  Optional<String> launch(Assignment assignment, long contactBootMs) {
    AttemptKey key = assignment.key();
    if (jobs.containsKey(key)) {
      return Optional.empty();
    }
    @Nullable String problem = refused.get(key);
    if (problem != null) {
      return Optional.of(problem);
    }
    Optional<Duration> after = assignment.selfStop().after();
    if (after.isPresent() && bootMs() - contactBootMs >= after.get().toMillis()) {
      return Optional.of("too late");
    }
    SimulatedJob job = new SimulatedJob(world, this, assignment, contactBootMs);
    jobs.put(key, job);
    auditor.started(this, job);
    job.begin();
    return Optional.empty();
  }

  /// Gives up an attempt that never ran.
  ///
  /// @return false: a supervisor has it or had it
  boolean refuse(AttemptKey key, String problem) {
    if (jobs.containsKey(key)) {
      return false;
    }
    refused.put(key, problem);
    return true;
  }

  Optional<String> refusal(AttemptKey key) {
    return Optional.ofNullable(refused.get(key));
  }

  long contactBootMs(AttemptKey key) {
    Recorded record = records.get(key);
    return record == null ? 0 : record.contactBootMs();
  }

  /// Records the address of a gang's worker.
  void prepared(AttemptKey key) {
    mayCrash("before it records an address");
    prepared.add(key);
    auditor.prepared(key);
    mayCrash("after it recorded an address");
  }

  boolean isPrepared(AttemptKey key) {
    return prepared.contains(key);
  }

  /// The order by which the attempt is suspended; 0: it is not.
  long suspension(AttemptKey key) {
    return suspended.getOrDefault(key, 0L);
  }

  /// The attempt could not be suspended by that order.
  void notSuspended(AttemptKey key, long suspension) {
    notSuspended.put(key, suspension);
  }

  boolean isNotSuspended(AttemptKey key, long suspension) {
    return notSuspended.getOrDefault(key, 0L) == suspension;
  }

  void goesOn(SimulatedJob job) {
    auditor.goesOn(this, job);
  }

  void ended(SimulatedJob job) {
    auditor.ended(this, job);
  }

  private void mayCrash(String where) {
    if (world.chance(crashes)) {
      world.note(() -> name + "'s agent is about to die " + where);
      world.befell(Fault.AGENT_DIED_AT_RECORD);
      throw new World.Crash(where);
    }
  }

  /// The records that its agents wrote to its disk.
  AttemptRecords records() {
    return new AttemptRecords() {
      @Override
      public Input.Recovered recover(Instant now) {
        List<Input.Found> found = new ArrayList<>();
        records.forEach((key, record) -> {
          boolean sameBoot = record.bootId().equals(bootId());
          Optional<Observation> lastSeen =
              sameBoot ? Optional.empty() : job(key).map(SimulatedJob::observation);
          found.add(
              new Input.Found(
                  key,
                  record.end().isPresent() ? Optional.empty() : record.assignment(),
                  sameBoot,
                  suspension(key),
                  record.end(),
                  lastSeen,
                  now));
        });
        return new Input.Recovered(history, found);
      }

      @Override
      public void recordLeadership(LeadershipHistory higher) {
        mayCrash("before it records a leader");
        auditor.obeyed(SimulatedMachine.this, history, higher);
        history = higher;
      }

      @Override
      public void recordAssignment(Assignment assignment, long contactBootMs) {
        mayCrash("before it records an assignment");
        records.put(
            assignment.key(),
            new Recorded(Optional.of(assignment), bootId(), contactBootMs, Optional.empty()));
        mayCrash("after it recorded an assignment");
      }

      @Override
      public void recordSuspension(AttemptKey key, long suspension) {
        mayCrash("before it records a suspension");
        suspended.put(key, suspension);
        mayCrash("after it recorded a suspension");
      }

      @Override
      public void recordResumption(AttemptKey key) {
        mayCrash("before it records the end of a suspension");
        suspended.remove(key);
        mayCrash("after it recorded the end of a suspension");
      }

      @Override
      public void recordEnd(AttemptReport report) {
        mayCrash("before it records an end");
        records.put(report.key(), new Recorded(Optional.empty(), bootId(), 0, Optional.of(report)));
        mayCrash("after it recorded an end");
      }

      @Override
      public void forget(AttemptKey key) {
        mayCrash("before it forgets");
        records.remove(key);
      }
    };
  }

  /// Updates that were not acknowledged, on disk.
  final class Outbox implements Updates {
    private final NavigableMap<Long, Entry> entries = new TreeMap<>();
    private long last;

    @Override
    public Entry append(AttemptReport report) {
      mayCrash("before it records an update");
      Entry entry = new Entry(++last, report);
      entries.put(last, entry);
      mayCrash("after it recorded an update");
      return entry;
    }

    @Override
    public void acknowledge(long sequence) {
      auditor.acknowledged(SimulatedMachine.this, entries.headMap(sequence, true).values());
      entries.headMap(sequence, true).clear();
      last = Math.max(last, sequence);
    }

    @Override
    public List<Entry> after(long sequence, int limit) {
      return entries.tailMap(sequence, false).values().stream().limit(limit).toList();
    }

    @Override
    public CompletableFuture<Void> emptied() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int size() {
      return entries.size();
    }

    @Override
    public void close() {
      // It stays on disk.
    }
  }
}

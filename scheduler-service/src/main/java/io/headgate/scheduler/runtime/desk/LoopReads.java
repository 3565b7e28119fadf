package io.headgate.scheduler.runtime.desk;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.ledger.Holding;
import io.headgate.scheduler.core.ledger.LastingPart;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.core.ledger.UsageTotals;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.catalog.Supply;
import io.headgate.scheduler.runtime.desk.LeaderView.Contact;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.scheduler.runtime.record.NodeContact;
import io.headgate.type.ImageRules;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// The registries of jobs and nodes, for reading. Confined to the loop.
public final class LoopReads implements LeaderView.Reads {
  private final LeaderState state;
  private final JobViews views;
  private final TimeSource time;

  public LoopReads(LeaderState state, JobViews views, TimeSource time) {
    this.state = state;
    this.views = views;
    this.time = time;
  }

  @Override
  public Optional<JobRecord> job(JobId id) {
    return state.jobs.job(id);
  }

  @Override
  public List<JobRecord> jobs() {
    return state.jobs.all();
  }

  @Override
  public int jobCount() {
    return state.jobs.count();
  }

  @Override
  public JobView refresh(JobView read) {
    return views.refresh(read);
  }

  @Override
  public List<LeaderView.Total> totals() {
    return state.jobs.totals();
  }

  @Override
  public Optional<AttemptRecord> attempt(JobId job) {
    return state.jobs.attempt(job);
  }

  @Override
  public UsageTotals usageTotals(Instant now) {
    return state.usage.totals(now);
  }

  @Override
  public List<UsageInterval> openUsage(Instant now) {
    return state.usage.open(now);
  }

  @Override
  public LastingPart openUsage(
      Instant now, LastingPart.Begin from, int limit, Predicate<Holding> wanted) {
    return state.usage.open(now, from, limit, wanted);
  }

  @Override
  public List<DownStep> down() {
    return state.usage.down();
  }

  @Override
  public long unusable(PoolId pool) {
    return state.usage.unusable(pool);
  }

  @Override
  public List<JobId> jobsOn(NodeId node) {
    return state.jobs.workersOn(node).stream().map(key -> key.attempt().job()).distinct().toList();
  }

  @Override
  public Collection<Hold> holds() {
    return state.jobs.holds();
  }

  @Override
  public List<Contact> contacts() {
    return state.nodes.entries().stream().map(this::contact).toList();
  }

  @Override
  public LeaderView.ImageUse images(Collection<PoolId> pools) {
    Optional<Node> without = Optional.empty();
    List<LeaderView.ImageUse.Ruling> rulings = new ArrayList<>();
    Set<ImageRules> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (NodeRegistry.Entry entry : state.nodes.entries()) {
      Optional<Node> node = entry.machine().map(Supply.Machine::node);
      if (node.isEmpty() || !pools.contains(node.get().pool())) {
        continue;
      }
      if (!entry.runsImages) {
        without = without.or(() -> node);
      }
      if (seen.add(entry.imageRules)) {
        rulings.add(new LeaderView.ImageUse.Ruling(node.get(), entry.imageRules));
      }
    }
    return new LeaderView.ImageUse(without, rulings);
  }

  @Override
  public int withoutStorage(PoolId pool) {
    Optional<String> storage = state.catalog.storage(pool);
    return storage.isEmpty()
        ? 0
        : (int)
            state.nodes.entries().stream()
                .flatMap(entry -> entry.machine().stream())
                .filter(machine -> machine.node().pool().equals(pool) && machine.lacks(storage))
                .count();
  }

  private Contact contact(NodeRegistry.Entry entry) {
    boolean isKnown = entry.contact().isPresent();
    long heardAgo =
        isKnown && entry.reported
            ? time.monotonicNanos() - state.nodes.clock(entry.id).heardNanos()
            : -1;
    return new Contact(
        entry.id,
        contactState(entry, isKnown),
        heardAgo,
        Optional.ofNullable(entry.passedToCore),
        entry.reported ? Optional.of(entry.runsImages) : Optional.empty(),
        entry.contact().map(NodeContact::agentVersion).orElse(""),
        state.jobs.workersOn(entry.id).stream()
            .flatMap(key -> state.jobs.attempt(key.attempt()).stream())
            .flatMap(attempt -> attempt.stopAfter().stream())
            .min(Comparator.naturalOrder()));
  }

  private static Contact.State contactState(NodeRegistry.Entry entry, boolean isKnown) {
    if (!isKnown) {
      return Contact.State.NEVER;
    }
    if (entry.lost) {
      return Contact.State.LOST;
    }
    boolean isThere = entry.reported && !entry.suspect && entry.session().isPresent();
    return isThere ? Contact.State.CONNECTED : Contact.State.SUSPECT;
  }
}

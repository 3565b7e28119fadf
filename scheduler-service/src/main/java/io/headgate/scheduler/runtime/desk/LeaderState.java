package io.headgate.scheduler.runtime.desk;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.SchedulerState;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.catalog.CatalogSource;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.Catalogs;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.NodeContact;
import io.headgate.scheduler.runtime.submission.TakenSubmissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// Everything that a leader knows. Confined to the loop, except the clocks of [NodeRegistry].
public final class LeaderState {
  final Leadership leadership;
  final LoopSettings settings;
  final SchedulerCore core;
  final JobRegistry jobs;
  final NodeRegistry nodes;
  final Catalogs catalogs;
  final CatalogJournal journal;
  final AgentOrders orders;
  final EffectRecorder recorder;
  final UsageDesk usage;
  final BudgetDesk budgets;
  final PhaseBook phases;
  final TakenSubmissions taken = new TakenSubmissions();
  CatalogView catalog;
  long lastJob;

  /// Whether reports of agents are still awaited. Each node takes work as soon as its agent has
  /// reported; `AWAITED` marks the others.
  boolean windowOpen = true;

  private LeaderState(
      Leadership leadership,
      LoopSettings settings,
      LoadedState loaded,
      List<CatalogUpdate> updates,
      long nowNanos) {
    this.leadership = leadership;
    this.settings = settings;
    this.jobs = JobRegistry.load(loaded);
    this.nodes = new NodeRegistry(nowNanos);
    this.catalogs = new Catalogs(settings.changeWait());
    this.journal = new CatalogJournal(loaded.catalogs());
    this.lastJob = loaded.lastJob();
    for (NodeContact contact : loaded.contacts()) {
      nodes.entry(contact.node()).contact = contact;
    }
    SortedSet<TenantId> tenants = new TreeSet<>();
    for (CatalogUpdate update : updates) {
      // The stored catalogs were in force: a half that an earlier leader took alone waits no more.
      tenants.addAll(catalogs.apply(update, Instant.MIN).tenants());
      if (update instanceof CatalogUpdate.OfSupply supply) {
        supply.machines().forEach(machine -> nodes.entry(machine.node().id()).machine = machine);
      }
    }
    tenants.addAll(catalogs.takeOverdue(Instant.MAX).tenants());
    catalogs.counted(BudgetDesk.told(loaded));
    this.catalog = catalogs.view();
    this.core = SchedulerCore.load(state(loaded, tenants), settings.placement());
    for (Hold hold : loaded.holds()) {
      // The core leaves out what its job cannot use any more.
      if (core.hold(hold.job()).isPresent()) {
        jobs.hold(hold);
      }
    }
    this.orders = new AgentOrders(leadership, settings.sampling());
    this.recorder = new EffectRecorder(leadership, orders, core, jobs, nodes);
    this.usage = new UsageDesk(this, loaded);
    this.budgets = new BudgetDesk(this, loaded);
    WaitBook waits = new WaitBook(core);
    waits.load(loaded.waits(), jobs, leadership.since().orElse(Instant.EPOCH));
    this.phases = new PhaseBook(leadership.epoch(), jobs, waits);
  }

  /// As it was read, with the catalogs that were followed last.
  public static LeaderState load(
      Leadership leadership,
      LoopSettings settings,
      LoadedState loaded,
      List<CatalogSource> sources,
      TimeSource time) {
    List<CatalogUpdate> updates = new ArrayList<>();
    for (CatalogSource source : sources) {
      LoadedState.Catalog kept =
          loaded.catalogs().getOrDefault(source.name(), LoadedState.Catalog.NONE);
      updates.add(source.decode(kept.position(), kept.entries()));
    }
    return load(leadership, settings, loaded, updates, time.monotonicNanos());
  }

  public static LeaderState load(
      Leadership leadership,
      LoopSettings settings,
      LoadedState loaded,
      List<CatalogUpdate> updates,
      long nowNanos) {
    return new LeaderState(leadership, settings, loaded, updates, nowNanos);
  }

  /// Why a worker that no agent was told of is given up instead; empty: its agent may be told, or
  /// was.
  Optional<String> untellable(AttemptRecord attempt, int worker) {
    if (!attempt.isUntold(worker)) {
      return Optional.empty();
    }
    Assignment assignment = attempt.attempt().assignment();
    NodeId node = assignment.workers().get(worker).node();
    if (nodes.isQuarantined(node)) {
      // An order to run carries the secrets of vaults.
      return Optional.of("its node is in quarantine before it was told");
    }
    Optional<String> storage = catalog.storage(assignment.pool());
    return nodes.lacks(node, storage)
        ? Optional.of(
            "its node lacks storage %s of its pool before it was told"
                .formatted(storage.orElse("")))
        : Optional.empty();
  }

  private SchedulerState state(LoadedState loaded, SortedSet<TenantId> tenants) {
    List<Catalog> merged = tenants.stream().map(catalogs::merged).toList();
    List<Node> seen = new ArrayList<>();
    for (NodeRegistry.Entry entry : nodes.entries()) {
      entry
          .seen(true, catalog)
          .ifPresent(node -> {
            entry.passedToCore = node;
            seen.add(node);
          });
    }
    List<Job> known = loaded.jobs().stream().map(JobRecord::job).toList();
    List<Attempt> live = loaded.attempts().stream().map(AttemptRecord::attempt).toList();
    return SchedulerState.kept(merged, seen, known, live, loaded.holds())
        .expecting(loaded.demand())
        .observing(loaded.runTimes())
        .remembering(loaded.pastUse());
  }

  public Leadership leadership() {
    return leadership;
  }

  public LoopSettings settings() {
    return settings;
  }

  public SchedulerCore core() {
    return core;
  }

  public JobRegistry jobs() {
    return jobs;
  }

  public NodeRegistry nodes() {
    return nodes;
  }

  public EffectRecorder recorder() {
    return recorder;
  }

  public UsageDesk usage() {
    return usage;
  }

  public BudgetDesk budgets() {
    return budgets;
  }

  public PhaseBook phases() {
    return phases;
  }

  public CatalogView catalog() {
    return catalog;
  }

  /// Whether agents are still expected to report.
  public boolean isWindowOpen() {
    return windowOpen;
  }
}

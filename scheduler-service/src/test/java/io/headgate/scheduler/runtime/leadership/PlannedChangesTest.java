package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.Supply;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.desk.LeaderView;
import io.headgate.scheduler.runtime.desk.LoopTurn;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.WorkerFacts;
import io.headgate.scheduler.runtime.record.WorkerName;
import io.headgate.scheduler.runtime.submission.Submission;
import io.headgate.scheduler.simulation.LiveState;
import io.headgate.scheduler.simulation.SimulationEvent;
import io.headgate.scheduler.simulation.WhatIf;
import io.headgate.type.ImageRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/// Random changes of supply and rights on random states of a whole leader are planned, and then
/// arrive in two halves, in either order. Their effects are those that the plan showed.
///
/// `-Dheadgate.scenarios=N` plays more or fewer tenants, `-Dheadgate.seed=N` that seed alone.
class PlannedChangesTest {
  private static final int TENANTS = Integer.getInteger("headgate.scenarios", 60);
  private static final int CHANGES = 6;
  private static final int JOBS = 5;

  /// Changes whose first half would have done something else alone.
  private int divided;

  @Test
  void whatHappensIsWhatThePlanShowed() throws InterruptedException {
    Long only = Long.getLong("headgate.seed");
    for (long seed = 1; seed <= TENANTS; seed++) {
      if (only == null || only == seed) {
        new Played(seed).play();
      }
    }
    if (only == null) {
      assertThat(divided).as("changes that are more than their halves").isGreaterThan(TENANTS / 2);
    }
  }

  /// The effects on the jobs of the tenant.
  private record Effects(
      SortedSet<String> started, SortedSet<String> preempted, SortedSet<String> drafts) {
    Effects() {
      this(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
    }

    static Effects of(WhatIf.Answer answer) {
      Effects effects = new Effects();
      answer.starts().named().stream()
          .map(SimulationEvent.Start::job)
          .forEach(effects.started::add);
      answer.preempts().named().stream()
          .map(SimulationEvent.Preempt::job)
          .forEach(effects.preempted::add);
      answer.drafts().named().stream().map(SimulationEvent.Draft::job).forEach(effects.drafts::add);
      return effects;
    }
  }

  /// One seed.
  private final class Played {
    private final long seed;
    private final RandomGenerator random;
    private final ChangingTenant tenant;
    private final OneLeader one = new OneLeader();
    private final List<LoopStep> steps = new ArrayList<>();
    private final Leader leader;
    private final Map<NodeId, Agent> agents = new LinkedHashMap<>();
    private final Map<String, JobRecord> jobs = new LinkedHashMap<>();
    private Effects happened = new Effects();
    private int lastJob;

    Played(long seed) {
      this.seed = seed;
      this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
      this.tenant = new ChangingTenant(random);
      LoadedState nothing =
          new LoadedState(
              List.of(),
              List.of(),
              List.of(),
              List.of(),
              List.of(),
              List.of(),
              List.of(),
              LoadedState.UsageTold.NOTHING,
              List.of(),
              List.of(),
              Map.of(),
              0,
              0,
              0);
      this.leader =
          new Leader(
              one.start,
              one.ports,
              LeaderState.load(
                  one.start.leadership(), OneLeader.SETTINGS, nothing, List.<CatalogUpdate>of(), 0),
              one.lease,
              steps::add);
    }

    void play() throws InterruptedException {
      List<Supply.Machine> machines = tenant.machines();
      ChangingTenant.Change first = tenant.next();
      moved(first.half(machines));
      moved(first.otherHalf());
      for (Supply.Machine machine : machines) {
        agents.put(machine.node().id(), new Agent(machine.node().id()));
        decide(
            new Command.Hello(
                agents.get(machine.node().id()),
                new AgentHello(
                    "session", "boot", "test", false, false, false, ImageRules.NONE, List.of())));
      }
      for (int i = 0; i < CHANGES; i++) {
        for (int job = 0; job < JOBS; job++) {
          submit();
        }
        finishSome();
        settle();
        change(tenant.next());
      }
    }

    private void change(ChangingTenant.Change change) throws InterruptedException {
      Effects planned = plan(Optional.of(change), true);
      boolean supplyFirst = random.nextBoolean();
      if (!plan(Optional.of(change), supplyFirst, !supplyFirst).equals(planned)) {
        divided++;
      }
      happened = new Effects();
      moved(supplyFirst ? change.half(List.of()) : change.otherHalf());
      one.time.advance(Duration.ofMillis(100));
      decide();
      assertThat(happened)
          .as("seed %d: half of change %s", seed, change.supply().version())
          .isEqualTo(new Effects());
      moved(supplyFirst ? change.otherHalf() : change.half(List.of()));
      settle();
      assertThat(happened)
          .as("seed %d: change %s", seed, change.supply().version())
          .isEqualTo(planned);
    }

    private Effects plan(Optional<ChangingTenant.Change> change, boolean both)
        throws InterruptedException {
      return plan(change, both, both);
    }

    /// Asks what the change would do, as a plan does.
    private Effects plan(
        Optional<ChangingTenant.Change> change, boolean withSupply, boolean withAccess)
        throws InterruptedException {
      return ask(view -> {
        CatalogView changed =
            view.catalog()
                .with(
                    change.map(ChangingTenant.Change::supply).filter(_ -> withSupply),
                    change.map(ChangingTenant.Change::access).filter(_ -> withAccess));
        WhatIf.NotAdmitted notAdmitted =
            new WhatIf.NotAdmitted(
                notAdmitted(view, changed, true),
                notAdmitted(view, view.catalog(), false),
                notAdmitted(view, changed, false));
        Map<Long, String> names = new LinkedHashMap<>();
        view.reads().jobs().forEach(job -> names.put(job.id().value(), job.name().id()));
        LiveState present =
            new LiveState(
                view.core().state(),
                view.core().placement(),
                view.now(),
                id -> names.getOrDefault(id.value(), "job " + id.value()));
        return Effects.of(
            new WhatIf(ChangingTenant.ID, new WhatIf.Limits(1000, 0, () -> true))
                .compare(present, changed.merged(ChangingTenant.ID), notAdmitted));
      });
    }

    private static List<String> notAdmitted(
        LeaderView view, CatalogView catalog, boolean isWaiting) {
      return view.reads().jobs().stream()
          .filter(job -> (job.state() == JobState.WAITING) == isWaiting)
          .filter(job -> {
            Optional<Queue> queue = catalog.queue(job.job().spec().queue());
            return queue.isPresent() && !catalog.admits(queue.get(), job.metadata().submitter());
          })
          .map(job -> job.name().id())
          .toList();
    }

    private <T> T ask(Function<LeaderView, T> question) throws InterruptedException {
      CompletableFuture<T> reply = new CompletableFuture<>();
      decide(new Command.Ask<>(question, reply));
      return reply.join();
    }

    private void moved(CatalogUpdate update) throws InterruptedException {
      decide(
          new Command.CatalogMoved(
              update instanceof CatalogUpdate.OfSupply ? "supply" : "access", update));
    }

    private void submit() throws InterruptedException {
      CatalogView catalog = leader.catalog();
      String user = ChangingTenant.USERS.get(random.nextInt(ChangingTenant.USERS.size()));
      List<Queue> open =
          catalog.queues(ChangingTenant.ID).stream()
              .filter(queue -> catalog.admits(queue, "users/" + user))
              .toList();
      if (open.isEmpty()) {
        return;
      }
      decide(
          new Command.Submit(
              new Submission(
                  List.of(
                      new Submission.NewJob(
                          new JobName(ChangingTenant.ID, "j-" + ++lastJob),
                          open.get(random.nextInt(open.size())).id(),
                          new UserId(user),
                          "users/" + user,
                          false,
                          random.nextInt(3),
                          Optional.empty(),
                          Optional.empty(),
                          Duration.ZERO,
                          Optional.empty(),
                          false,
                          List.of(),
                          "",
                          Optional.empty(),
                          List.of(),
                          false,
                          Document.of(new byte[] {1}))),
                  Optional.empty(),
                  List.of(),
                  catalog),
              new CompletableFuture<>()));
    }

    private void finishSome() throws InterruptedException {
      settle();
      for (Agent agent : List.copyOf(agents.values())) {
        for (AgentReport running : List.copyOf(agent.running.values())) {
          if (random.nextInt(100) < 25) {
            agent.report(ended(running, WorkerFacts.EndReason.EXITED));
          }
        }
      }
    }

    /// Lets agents do as they were told, until nothing is told any more.
    private void settle() throws InterruptedException {
      boolean moves = true;
      while (moves) {
        moves = false;
        for (Agent agent : agents.values()) {
          for (AgentReport report : agent.take()) {
            agent.report(report);
            moves = true;
          }
        }
      }
    }

    private void decide(Command... commands) throws InterruptedException {
      steps.clear();
      leader.decide(List.of(commands));
      for (LoopStep step : List.copyOf(steps)) {
        step.replies().forEach(LoopTurn.Reply::complete);
        step.batch().ifPresent(batch -> batch.jobs().forEach(this::note));
        step.batch()
            .ifPresent(
                batch -> batch.newJobs().forEach(made -> jobs.put(name(made.job()), made.job())));
        step.dispatches().forEach(this::hear);
      }
    }

    private static String name(JobRecord job) {
      return job.name().id();
    }

    private void note(JobRecord job) {
      if (job.state() == JobState.DRAFT) {
        happened.drafts().add(name(job));
      }
      jobs.put(name(job), job);
    }

    private void hear(Dispatch dispatch) {
      switch (dispatch) {
        case Dispatch.Run(var node, var _, AgentCommand.Assign command, var _, var _) -> {
          happened.started().add(command.worker().job().id());
          agents.get(node).told(command);
        }
        case Dispatch.Say(var node, AgentCommand.Stop command) -> {
          if (command.kind() == AgentCommand.StopKind.PREEMPT) {
            happened.preempted().add(command.worker().job().id());
          }
          agents.get(node).told(command);
        }
        default -> {
          // Nothing that an agent does.
        }
      }
    }

    private static AgentReport ended(AgentReport running, WorkerFacts.EndReason reason) {
      return new AgentReport(
          running.job(),
          running.uid(),
          running.attempt(),
          running.worker(),
          AgentReport.State.ENDED,
          Optional.of(reason),
          Optional.of(0).filter(_ -> reason == WorkerFacts.EndReason.EXITED),
          "",
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          0,
          Optional.empty());
    }

    /// An agent that does what it is told when it is asked to.
    private final class Agent implements AgentSession {
      private final NodeId node;
      private final Map<String, AgentReport> running = new LinkedHashMap<>();
      private final List<AgentReport> due = new ArrayList<>();
      private long sequence;

      Agent(NodeId node) {
        this.node = node;
      }

      @Override
      public NodeId node() {
        return node;
      }

      void told(AgentCommand.Assign command) {
        due.add(running(command.worker()));
      }

      void told(AgentCommand.Stop command) {
        due.add(ended(running(command.worker()), WorkerFacts.EndReason.STOPPED));
      }

      private AgentReport running(WorkerName worker) {
        return new AgentReport(
            worker.job(),
            worker.uid(),
            worker.attempt(),
            worker.worker(),
            AgentReport.State.RUNNING,
            Optional.empty(),
            Optional.empty(),
            "",
            Optional.of(one.time.instant()),
            Optional.empty(),
            Optional.empty(),
            0,
            Optional.empty());
      }

      List<AgentReport> take() {
        List<AgentReport> reports = List.copyOf(due);
        due.clear();
        return reports;
      }

      void report(AgentReport report) throws InterruptedException {
        if (report.state() == AgentReport.State.ENDED) {
          running.remove(report.job().id());
        } else {
          running.put(report.job().id(), report);
        }
        decide(new Command.Report(this, ++sequence, report));
      }

      @Override
      public void send(AgentCommand command) {
        throw new AssertionError("the dispatcher does not run");
      }

      @Override
      public void endNotLeader(String leaderAddress) {
        throw new AssertionError();
      }

      @Override
      public void endReplaced() {
        throw new AssertionError();
      }
    }
  }
}

package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.loop.LeaderPorts;
import io.headgate.scheduler.runtime.loop.LeaderStart;
import io.headgate.scheduler.runtime.loop.LoopMetrics;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.loop.Takeover;
import io.headgate.scheduler.runtime.loop.TurnMaker;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.scheduler.runtime.record.NodeContact;
import io.headgate.scheduler.runtime.record.SchedulerStore;
import io.headgate.scheduler.runtime.submission.Submission;
import io.headgate.scheduler.runtime.submission.Submission.NewJob;
import io.headgate.type.ImageRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Warms up the code of a take-over on a follower. It reads a sample of a leader's state, builds a
/// leader from it and lets that leader decide about agents and a job. Then it discards everything;
/// nothing is written or sent. The first run of this code takes a process seconds, to load and
/// compile classes; a take-over should not pay for that. Where there is little to read, the warm-up
/// repeats at growing intervals.
public final class TakeoverWarmup implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TakeoverWarmup.class);

  /// Jobs read per sample.
  private static final int JOBS = 2000;

  /// Jobs read in total, enough for the JIT to compile the code that reads them.
  private static final int ENOUGH = 20_000;

  /// Longest interval between two attempts, where there is little to read.
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final String self;
  private final LoopSettings settings;
  private final LeaderPorts ports;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;

  /// @param self name of this replica
  public TakeoverWarmup(String self, LoopSettings settings, LeaderPorts ports) {
    this.self = self;
    this.settings = settings;
    this.ports = ports;
    this.thread = Thread.ofPlatform().name("scheduler-warm-up").daemon().unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  private void run() {
    try {
      // The second attempt follows one lease after the first. By then a leader is elected, perhaps
      // this replica.
      Duration patience = Duration.ZERO;
      int read = 0;
      while (!closed.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        SchedulerStore.Row row = ports.store().leadership();
        boolean isHeld = row.leaseLeft().isPositive();
        if (isHeld && row.leadership().leader().equals(Optional.of(self))) {
          return;
        }
        if (isHeld) {
          read += warmUp(row);
          if (read >= ENOUGH) {
            return;
          }
        }
        patience = longer(patience);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // The first take-over is slower then; nothing else depends on the warm-up.
      LOG.debug("no warm-up", e);
    }
  }

  private Duration longer(Duration patience) {
    Duration twice = patience.multipliedBy(2);
    if (twice.compareTo(settings.lease()) < 0) {
      return settings.lease();
    }
    return twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
  }

  /// Warms up with one sample, or with several if there are many jobs.
  ///
  /// @return number of jobs read
  private int warmUp(SchedulerStore.Row row) throws InterruptedException {
    int read = 0;
    int last = JOBS;
    while (last == JOBS && read < ENOUGH && closed.getCount() > 0) {
      LoadedState loaded = ports.store().sample(JOBS);
      var _ = warmUp(row, loaded);
      last = loaded.jobs().size();
      read += last;
    }
    return read;
  }

  /// Warms up with the given state.
  ///
  /// @param row of the current leader
  /// @return the steps that a leader would commit next
  List<LoopStep> warmUp(SchedulerStore.Row row, LoadedState loaded) throws InterruptedException {
    LeaderState state =
        LeaderState.load(row.leadership(), settings, loaded, ports.sources(), ports.time());
    LeaderPorts silent =
        new LeaderPorts(
            ports.store(),
            ports.reader(),
            ports.sources(),
            ports.time(),
            LoopMetrics.NONE,
            _ -> {},
            Failpoint.Handler.NONE,
            ports.asked());
    LeaderStart start =
        new LeaderStart(
            row.leadership(),
            settings,
            loaded.lastBatch(),
            loaded.version(),
            Takeover.silent(silent));
    List<LoopStep> steps = new ArrayList<>();
    TurnMaker turns = new TurnMaker(start, state, silent, steps::add);
    turns.take(List.of());
    turns.take(loaded.contacts().stream().limit(JOBS).map(TakeoverWarmup::hello).toList());
    turns.take(submissions(state));
    LOG.debug("warmed up with {} jobs", loaded.jobs().size());
    return steps;
  }

  /// The hello of an agent that runs nothing.
  private static Command hello(NodeContact contact) {
    AgentHello hello =
        new AgentHello(
            contact.sessionId(),
            contact.bootId(),
            contact.agentVersion(),
            contact.simulated(),
            false,
            false,
            ImageRules.NONE,
            List.of());
    return new Command.Hello(new Deaf(contact.node()), hello);
  }

  /// An agent's session that discards every message.
  private record Deaf(NodeId node) implements AgentSession {
    @Override
    public void send(AgentCommand command) {}

    @Override
    public void endNotLeader(String leaderAddress) {}

    @Override
    public void endReplaced() {}
  }

  /// A submission to the queue of the first job; empty: there is none.
  private static List<Command> submissions(LeaderState state) {
    return state.jobs().all().stream()
        .findFirst()
        .flatMap(job -> state.catalog().queue(job.job().spec().queue()))
        .map(queue -> submission(queue, state.catalog()))
        .map(List::of)
        .orElse(List.of());
  }

  private static Command submission(Queue queue, CatalogView catalog) {
    TenantId tenant = queue.id().tenant();
    NewJob job =
        new NewJob(
            new JobName(tenant, "warm-up"),
            queue.id(),
            new UserId("warm-up"),
            "warm-up",
            true,
            0,
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
            Document.EMPTY);
    return new Command.Submit(
        new Submission(List.of(job), Optional.empty(), List.of(), catalog),
        new CompletableFuture<>());
  }

  @Override
  public void close() {
    closed.countDown();
  }
}

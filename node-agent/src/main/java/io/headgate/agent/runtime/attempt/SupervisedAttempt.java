package io.headgate.agent.runtime.attempt;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.Observation;
import io.headgate.agent.core.Rendezvous;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.AttemptLock;
import io.headgate.agent.process.SupervisorLink;
import io.headgate.agent.process.SupervisorStatus;
import io.headgate.agent.runtime.ledger.AttemptLedger;
import io.headgate.agent.runtime.ledger.Failpoint;
import io.headgate.agent.runtime.telemetry.Enforcement;
import io.headgate.agent.runtime.telemetry.Violation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks after an attempt under a supervisor on this machine. Everything that may take time runs on
/// virtual threads of its own.
public final class SupervisedAttempt implements AttemptRunner, Workload.StartConditions {
  private static final Logger LOG = LoggerFactory.getLogger(SupervisedAttempt.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(10);
  private static final Duration LAST_RETRY = Duration.ofSeconds(5);

  /// How long to wait for the cause of an end that the supervisor does not explain.
  private static final Duration END_CAUSE_WAIT = Duration.ofSeconds(10);

  /// How long to wait for the cause of a failure, whose exit code is known.
  private static final Duration FAILURE_CAUSE_WAIT = Duration.ofSeconds(2);

  private static final Workload.EndCause KILLED =
      new Workload.EndCause(EndReason.LOST, "its supervisor was killed");

  private final AttemptContext context;
  private final Assignment assignment;
  private final Workload workload;
  private final Consumer<Input> inputs;
  private final AttemptStart start;
  private final AttemptOrders orders;
  private final StartBarrier barrier = new StartBarrier();

  /// Whether the supervisor is known to have recorded a status. Confined to the thread of `run`.
  private boolean hasStatus;

  private volatile boolean failed; // the program ended by itself, with an exit code other than 0
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean detached; // guarded by lock

  public SupervisedAttempt(AttemptContext context, Assignment assignment, Consumer<Input> inputs) {
    this.context = context;
    this.assignment = assignment;
    this.workload = context.runtime().of(assignment);
    this.inputs = inputs;
    this.start = new AttemptStart(context, assignment, workload, barrier, inputs);
    this.orders =
        new AttemptOrders(
            context, assignment, new Suspension(context, assignment, workload, this), this, inputs);
  }

  AttemptKey key() {
    return assignment.key();
  }

  /// The directory of its supervisor, once there is one.
  private Path directory() {
    return context.ledger().supervised(key());
  }

  @Override
  public void start() {
    Thread.ofVirtual().name("attempt " + key()).start(this::run);
  }

  @Override
  public void contact(long bootMs) {
    orders.contact(bootMs);
  }

  @Override
  public void go(Rendezvous rendezvous) {
    barrier.open(rendezvous);
  }

  @Override
  public void stop(StopOrder stop) {
    if (orders.stop(stop)) {
      workload.stopOrdered(this);
    }
    barrier.wake();
  }

  @Override
  public void resume() {
    orders.resume();
  }

  @Override
  public void release(boolean killRemains) {
    Thread.ofVirtual().name("release " + key()).start(() -> runRelease(killRemains));
  }

  @Override
  public void detach() {
    lock.lock();
    try {
      detached = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    barrier.wake();
    orders.detach();
  }

  private void run() {
    Duration wait = FIRST_RETRY;
    while (!isDetached()) {
      try {
        runOnce();
        return;
      } catch (IOException | RuntimeException e) {
        // Nothing is guessed about a job: it is its supervisor's until its status can be read.
        LOG.warn("the agent cannot supervise {} yet; it tries again", key(), e);
        pause(wait);
        wait = longer(wait);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void runOnce() throws IOException, InterruptedException {
    while (!isDetached()) {
      boolean ran = AttemptLock.isHeld(directory()) || SupervisorStatus.isThere(directory());
      if (ran) {
        LOG.info("adopted {}, which an earlier agent had accepted", key());
        start.adopt();
        orders.adopt();
      } else {
        Optional<AttemptLedger.Refusal> refusal = start.launch(this);
        if (refusal.isPresent()) {
          notStarted(refusal.get());
          return;
        }
      }
      context.began(assignment, directory());
      if (follow()) {
        return;
      }
    }
  }

  /// Follows the supervisor until it has recorded the end, or is gone without a record.
  ///
  /// @return false when the supervisor is gone and has started nothing; the attempt then starts
  ///   again
  private boolean follow() throws IOException {
    Duration wait = FIRST_RETRY;
    while (!isDetached()) {
      try (SupervisorLink connected =
          SupervisorLink.connect(directory(), workload.supervisorUser())) {
        orders.publish(connected);
        wait = FIRST_RETRY;
        while (!observeIfReadable()) {
          connected.awaitChange();
        }
        return true;
      } catch (IOException e) {
        LOG.debug("no link to the supervisor of {}: {}", key(), e.getMessage());
      } finally {
        orders.publish(null);
      }
      // There is no supervisor any more, so its last record is final. The order of the two reads
      // matters.
      boolean gone = !AttemptLock.isHeld(directory());
      if (observeLast(gone) || isDetached()) {
        return true;
      }
      if (gone && !hasStatus) {
        return false;
      }
      if (gone) {
        Workload.EndCause cause = workload.endCause(this, END_CAUSE_WAIT).orElse(KILLED);
        LOG.warn("the supervisor of {} is gone and left no end: {}", key(), cause.problem());
        inputs.accept(
            new Input.Vanished(key(), cause.reason(), cause.problem(), context.time().instant()));
        return true;
      }
      pause(wait);
      wait = longer(wait);
    }
    return true;
  }

  /// Like [#observe], while there is a link. Commands go through the link, so the agent keeps it
  /// even if a job has replaced the status file. The supervisor's next report repairs that file.
  private boolean observeIfReadable() {
    try {
      return observe();
    } catch (IOException e) {
      LOG.warn("the state of {} cannot be read: {}", key(), e.getMessage());
      return false;
    }
  }

  /// Like [#observe], without a link. A job may have replaced the status file; once the supervisor
  /// is gone, no better one follows.
  private boolean observeLast(boolean gone) throws IOException {
    try {
      return observe();
    } catch (IOException e) {
      if (workload.supervisorUser().isEmpty()) {
        throw e;
      }
      LOG.debug("the status of {} is not there: {}", key(), e.getMessage());
      hasStatus |= gone;
      return false;
    }
  }

  /// Passes the supervisor's records to the loop; true at the end of the job.
  private boolean observe() throws IOException {
    Optional<SupervisorStatus> status = SupervisorStatus.read(directory());
    if (status.isEmpty() || isDetached()) {
      return false;
    }
    hasStatus = true;
    Observation observation = status.get().observation();
    failed = observation.ending().filter(SupervisedAttempt::isFailure).isPresent();
    Optional<Workload.EndCause> cause =
        observation
            .ending()
            .filter(this::isUnexplained)
            .flatMap(ending ->
                workload.endCause(this, isFailure(ending) ? FAILURE_CAUSE_WAIT : END_CAUSE_WAIT));
    if (failed) {
      // The supervisor's report stands, unless memory ran out: the kernel kills the largest
      // process, which is not the supervisor.
      cause = cause.filter(known -> known.reason() == EndReason.LIMIT_EXCEEDED);
      observation = cause.isPresent() ? observation.overLimit() : observation;
    }
    inputs.accept(new Input.Observed(key(), observation, cause.map(Workload.EndCause::problem)));
    return observation.ending().isPresent();
  }

  private boolean isUnexplained(Observation.Ending ending) {
    return stopped().isEmpty() && (isFailure(ending) || ending.reason().equals("shutdown"));
  }

  private static boolean isFailure(Observation.Ending ending) {
    return ending.reason().equals("exited") && ending.exitCode().orElse(0) != 0;
  }

  private void runRelease(boolean killRemains) {
    long begun = context.time().monotonicNanos();
    Failpoint.BEFORE_RELEASE.reach();
    SliceReleaseReport slices = new SliceReleaseReport(context, key());
    boolean suspicious = failed;
    boolean retried = false;
    Duration wait = FIRST_RETRY;
    while (!isDetached()) {
      try {
        List<SlicePlan> plans = context.ledger().slices(key());
        if (suspicious) {
          suspicious = false;
          // Before the report of its end, because a failed device may have ended it, and not the
          // job.
          slices.look();
        }
        if (tryRelease(killRemains)) {
          context.ended(key());
          Failpoint.AFTER_RELEASE.reach();
          slices.freed();
          Duration took = Duration.ofNanos(context.time().monotonicNanos() - begun);
          context.instruments().slicesReleased(plans, retried, took);
          orders.over();
          inputs.accept(new Input.Released(key(), took));
          return;
        }
      } catch (IOException | RuntimeException e) {
        // Whatever it is, the slices stay taken until this succeeds: what is not clean is not free.
        LOG.warn("the slices of {} cannot be released yet: {}", key(), e.toString());
        retried = true;
        slices.notFreed(String.valueOf(e.getMessage()));
      }
      pause(wait);
      wait = longer(wait);
    }
  }

  private boolean tryRelease(boolean killRemains) throws IOException {
    switch (workload.clear(killRemains)) {
      case NOTHING -> {}
      case LEAVING -> {
        return false;
      }
      case KILLED -> {
        context.instruments().enforced(Enforcement.REMAINS_KILLED);
        context.instruments().violated(context.ledger().slices(key()), Violation.FENCE);
        return false;
      }
    }
    context.jobs().ended(key());
    context.uses().ended(key());
    for (SlicePlan plan : context.ledger().slices(key())) {
      context.driver().release(plan);
    }
    workload.cleanUp();
    context.gangs().free(key());
    return true;
  }

  private void notStarted(AttemptLedger.Refusal refusal) {
    LOG.info("{} was not started: {}", key(), refusal.problem());
    inputs.accept(
        new Input.NotStarted(key(), refusal.reason(), refusal.problem(), context.time().instant()));
  }

  @Override
  public Optional<StopOrder> stopped() {
    return orders.stopped();
  }

  @Override
  public long contactBootMs() {
    return orders.contactBootMs();
  }

  @Override
  public boolean isDetached() {
    lock.lock();
    try {
      return detached;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void pause(Duration time) {
    lock.lock();
    try {
      long left = time.toNanos();
      while (!detached && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException _) {
      // Only the end of the process interrupts these threads.
      Thread.currentThread().interrupt();
      detached = true;
    } finally {
      lock.unlock();
    }
  }

  private static Duration longer(Duration wait) {
    Duration twice = wait.multipliedBy(2);
    return twice.compareTo(LAST_RETRY) > 0 ? LAST_RETRY : twice;
  }
}

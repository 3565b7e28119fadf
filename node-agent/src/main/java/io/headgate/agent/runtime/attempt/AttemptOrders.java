package io.headgate.agent.runtime.attempt;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.core.StopStep;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.SupervisorLink;
import io.headgate.agent.process.SupervisorStatus;
import io.headgate.agent.runtime.ledger.Failpoint;
import io.headgate.agent.runtime.telemetry.Enforcement;
import io.headgate.agent.runtime.telemetry.Violation;
import io.opentelemetry.api.trace.Span;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The orders for one attempt and their progress. The supervisor receives an order as soon as it is
/// reachable; a stop waits until a suspension, or its undoing, is over. Any thread.
final class AttemptOrders {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptOrders.class);

  private enum Phase {
    RUNNING,
    SUSPENDING,
    SUSPENDED,
    RESUMING
  }

  private final AttemptContext context;
  private final Assignment assignment;
  private final Suspension suspension;
  private final Workload.StartConditions conditions;
  private final Consumer<Input> inputs;
  private final ReentrantLock lock = new ReentrantLock();
  private Phase phase = Phase.RUNNING; // guarded by lock, as all below
  private @Nullable SupervisorLink link;
  private @Nullable StopOrder order;
  private OptionalLong contactBootMs = OptionalLong.empty();
  private @Nullable Span stopSpan;
  private boolean adopted;
  private boolean timed;

  AttemptOrders(
      AttemptContext context,
      Assignment assignment,
      Suspension suspension,
      Workload.StartConditions conditions,
      Consumer<Input> inputs) {
    this.context = context;
    this.assignment = assignment;
    this.suspension = suspension;
    this.conditions = conditions;
    this.inputs = inputs;
  }

  /// The attempt was found as an earlier agent left it, perhaps while that suspended it.
  void adopt() throws IOException {
    lock.lock();
    try {
      if (adopted || phase != Phase.RUNNING) {
        return;
      }
      adopted = true;
      if (context.ledger().suspensions().order(key()) != 0) {
        phase = Phase.SUSPENDED;
      } else if (context.ledger().suspensions().suspending(key()).isPresent()) {
        goOn();
      }
    } finally {
      lock.unlock();
    }
  }

  /// The control plane was heard from at that time of the boot clock.
  void contact(long bootMs) {
    lock.lock();
    try {
      contactBootMs = OptionalLong.of(bootMs);
      if (link != null) {
        link.contact(bootMs, assignment.selfStop().contactStep());
      }
    } finally {
      lock.unlock();
    }
  }

  /// Stops or suspends the attempt.
  ///
  /// @return whether that is the first such order
  boolean stop(StopOrder stop) {
    lock.lock();
    try {
      boolean late = order != null;
      StopOrder wanted = isTried(stop) ? stop.withoutSuspension() : stop;
      order = order == null ? wanted : wanted.after(order);
      if (stop.kind() == StopOrder.Kind.OVER_LIMIT) {
        context.instruments().enforced(late ? Enforcement.KILLED : Enforcement.STOPPED);
        if (!late) {
          context.instruments().violated(slices(), Violation.MEMORY);
        }
      }
      stopSpan = stopSpan != null ? stopSpan : context.instruments().stopping(assignment);
      if (link != null && late && stop.kind() == StopOrder.Kind.OVER_LIMIT) {
        // It was told to end and still exceeds its memory, at the cost of its neighbours.
        link.kill(stop.kind().word());
      } else {
        carryOut();
      }
      if (link != null) {
        Failpoint.AFTER_STOP_SENT.reach();
      }
      return !late;
    } finally {
      lock.unlock();
    }
  }

  private List<SlicePlan> slices() {
    try {
      return context.ledger().slices(key());
    } catch (IOException e) {
      LOG.warn("the slices of {} cannot be read", key(), e);
      return List.of();
    }
  }

  /// Whether it could not be suspended by that order already, also by an earlier agent: then its
  /// stop may be under way, which what stands still would not notice.
  private boolean isTried(StopOrder stop) {
    try {
      return stop.suspension() != 0
          && context.ledger().suspensions().isNotSuspended(key(), stop.suspension());
    } catch (IOException e) {
      LOG.warn("it is unknown whether a suspension of {} failed before", key(), e);
      return true;
    }
  }

  /// Orders the suspended attempt to resume.
  void resume() {
    lock.lock();
    try {
      order = null;
      endSpan();
      stopSpan = null;
      goOn();
    } finally {
      lock.unlock();
    }
  }

  /// Its supervisor can be reached there from now on.
  ///
  /// @param connected null: nowhere
  void publish(@Nullable SupervisorLink connected) {
    lock.lock();
    try {
      link = connected;
      if (connected != null) {
        contactBootMs.ifPresent(ms -> connected.contact(ms, Duration.ZERO));
        limitTime();
        carryOut();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Detaches from the supervisor.
  void detach() {
    lock.lock();
    try {
      if (link != null) {
        link.close();
      }
    } catch (IOException e) {
      LOG.debug("the link to the supervisor of {} could not be closed", key(), e);
    } finally {
      lock.unlock();
    }
  }

  /// It is stopped.
  void over() {
    lock.lock();
    try {
      endSpan();
    } finally {
      lock.unlock();
    }
  }

  /// The order to stop or suspend it that stands.
  Optional<StopOrder> stopped() {
    lock.lock();
    try {
      return Optional.ofNullable(order);
    } finally {
      lock.unlock();
    }
  }

  long contactBootMs() {
    lock.lock();
    try {
      return contactBootMs.orElse(0);
    } finally {
      lock.unlock();
    }
  }

  private void endSpan() {
    if (stopSpan != null) {
      stopSpan.end();
    }
  }

  private void carryOut() {
    if (link == null || order == null) {
      return;
    }
    StopOrder stop = order;
    switch (phase) {
      case RUNNING -> {
        if (stop.suspension() == 0) {
          send(link, stop);
        } else {
          phase = Phase.SUSPENDING;
          Thread.ofVirtual().name("suspend " + key()).start(() -> suspend(stop));
        }
      }
      case SUSPENDED -> {
        if (stop.suspension() == 0) {
          // It stands still, so neither a callback nor SIGTERM reaches it.
          link.kill(stop.kind().word());
        }
      }
      case SUSPENDING, RESUMING -> {
        // The latest order is carried out after that, unless the order must not wait.
        if (stop.suspension() == 0 && stop.skipCallback()) {
          link.kill(stop.kind().word());
        } else if (stop.suspension() == 0 && !timed) {
          timed = true;
          Thread.ofVirtual()
              .name("stop " + key())
              .start(() -> killIfNotSettled(stop.patience(assignment, overLimit())));
        }
      }
    }
  }

  /// A stop takes no longer than it would if nothing else were done.
  private void killIfNotSettled(Duration after) {
    conditions.pause(after);
    lock.lock();
    try {
      boolean settled = phase == Phase.RUNNING || phase == Phase.SUSPENDED;
      if (!settled && link != null && order != null && !conditions.isDetached()) {
        link.kill(order.kind().word());
      }
    } finally {
      lock.unlock();
    }
  }

  private void send(SupervisorLink to, StopOrder stop) {
    StopOrder.Leave leave = stop.leave(assignment, overLimit());
    to.stop(stop.kind().word(), leave.callback(), leave.grace());
  }

  private Duration overLimit() {
    return context.watch().settings().grace();
  }

  private void suspend(StopOrder stop) {
    long begun = context.time().monotonicNanos();
    Optional<Exception> failure = Optional.empty();
    try {
      suspension.suspend();
    } catch (IOException | RuntimeException e) {
      failure = Optional.of(e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return;
    }
    Duration took = Duration.ofNanos(context.time().monotonicNanos() - begun);
    if (failure.isEmpty()) {
      // Before another thread can learn of it and order the attempt to resume.
      settle(Phase.SUSPENDED, stop);
      inputs.accept(new Input.Suspended(key(), stop.suspension(), took));
      return;
    }
    if (conditions.isDetached()) {
      // The next agent gets the order again; the record shows a half-done suspension.
      return;
    }
    Exception problem = failure.get();
    LOG.warn("{} could not be suspended: {}", key(), problem.getMessage());
    try {
      context.ledger().suspensions().recordNotSuspended(key(), stop.suspension());
    } catch (IOException e) {
      LOG.warn("the failed suspension of {} could not be recorded", key(), e);
    }
    StopStep.Result result =
        problem instanceof Suspension.ImpossibleException
            ? StopStep.Result.SKIPPED
            : StopStep.Result.FAILED;
    inputs.accept(
        new Input.NotSuspended(
            key(), result, took, "it could not be suspended: " + problem.getMessage()));
    settle(Phase.RUNNING, stop);
  }

  private void goOn() {
    phase = Phase.RESUMING;
    Thread.ofVirtual()
        .name("resume " + key())
        .start(() -> {
          try {
            suspension.resume();
            if (!hasEnded()) {
              inputs.accept(new Input.Resumed(key()));
            }
            settle(Phase.RUNNING, null);
          } catch (IOException | RuntimeException e) {
            LOG.warn("{} cannot be resumed: {}", key(), e.getMessage());
            settle(Phase.SUSPENDED, null);
            inputs.accept(new Input.NotResumed(key(), "it cannot be resumed: " + e.getMessage()));
          } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /// Whether the attempt ended before it could resume.
  private boolean hasEnded() {
    try {
      return SupervisorStatus.read(context.ledger().supervised(key()))
          .flatMap(status -> status.observation().ending())
          .isPresent();
    } catch (IOException e) {
      LOG.warn("it is unknown whether {} has ended: {}", key(), e.getMessage());
      return false;
    }
  }

  /// @param tried the order that was carried out, or could not be
  private void settle(Phase reached, @Nullable StopOrder tried) {
    lock.lock();
    try {
      phase = reached;
      limitTime();
      if (reached == Phase.RUNNING
          && order != null
          && tried != null
          && order.suspension() == tried.suspension()) {
        order = order.withoutSuspension();
      }
      carryOut();
    } finally {
      lock.unlock();
    }
  }

  /// The time for which it is suspended is no run time of it.
  private void limitTime() {
    if (link != null && (phase == Phase.RUNNING || phase == Phase.SUSPENDED)) {
      link.limitTime(phase == Phase.RUNNING);
    }
  }

  private AttemptKey key() {
    return assignment.key();
  }
}

package io.headgate.agent.runtime.attempt;

import io.headgate.agent.container.ImageStore;
import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.SupervisorLauncher;
import io.headgate.agent.runtime.ledger.AttemptLedger;
import io.headgate.agent.runtime.ledger.Failpoint;
import io.headgate.agent.runtime.telemetry.AgentInstruments;
import io.headgate.agent.runtime.telemetry.Enforcement;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The way of one attempt from its assignment to a supervisor that has it: slices, files, launch.
/// Confined to the attempt's own thread.
final class AttemptStart {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptStart.class);

  /// With the growing waits between them, some five seconds.
  private static final int MAX_LAUNCHES = 10;

  private final Machine machine;
  private final Assignment assignment;
  private final Workload workload;
  private int launches;

  AttemptStart(Machine machine, Assignment assignment, Workload workload) {
    this.machine = machine;
    this.assignment = assignment;
    this.workload = workload;
  }

  /// After a restart the driver has to know again which slices are taken.
  void adopt() throws IOException {
    for (SlicePlan plan : machine.ledger().slices(key())) {
      try {
        machine.driver().realise(plan);
      } catch (GpuDriverException e) {
        LOG.error("{} runs, but the driver does not find its slice: {}", key(), e.getMessage());
      }
    }
  }

  /// Launches the attempt, unless it was or has to be given up.
  ///
  /// @param circumstances as they are, whenever they are asked for
  /// @return empty: a supervisor has it; otherwise why it never runs here
  /// @throws IOException when it is unknown how far it came; to be tried again
  Optional<AttemptLedger.Refusal> launch(Workload.Circumstances circumstances)
      throws IOException, InterruptedException {
    Optional<AttemptLedger.Refusal> earlier = machine.ledger().refusal(key());
    if (earlier.isPresent()) {
      return earlier;
    }
    Optional<StopOrder> stopped = circumstances.stopped();
    if (stopped.isPresent()) {
      return giveUp(stopped.get());
    }
    try (AgentInstruments.Timing timing = machine.instruments().starting(assignment)) {
      return launch(circumstances, timing.traceparent());
    }
  }

  private Optional<AttemptLedger.Refusal> giveUp(StopOrder stopped) throws IOException {
    EndReason reason =
        switch (stopped.kind()) {
          case SHUTDOWN -> EndReason.NODE_STOPPED;
          case DEVICE_FAILED -> EndReason.DEVICE_FAILED;
          case PREEMPT, CANCEL, ORPHAN, OVER_LIMIT -> EndReason.STOPPED;
        };
    return giveUp(reason, "stopped before it started");
  }

  private Optional<AttemptLedger.Refusal> launch(
      Workload.Circumstances circumstances, String traceparent)
      throws IOException, InterruptedException {
    Optional<String> refused =
        assignment.container().flatMap(container -> machine.images().problem(container.image()));
    if (refused.isPresent()) {
      // The job's fault: rejected, it would come back for ever, and keep others from this node.
      return giveUp(EndReason.START_FAILED, refused.get());
    }
    try {
      // Before the slices: an image may take long, or not be there at all.
      workload.fetch(circumstances);
    } catch (ImageStore.ImageException | IOException e) {
      return withoutImage(e, circumstances);
    }
    List<SlicePlan> plans;
    try {
      plans = realiseSlices();
    } catch (GpuDriverException e) {
      // The machine's fault and not the job's, which may run elsewhere.
      return giveUp(EndReason.REJECTED, "the slice could not be made: " + e.getMessage());
    }
    try {
      long contact = Math.max(machine.ledger().contactBootMs(key()), circumstances.contactBootMs());
      workload.prepare(plans, contact, traceparent);
    } catch (GpuDriverException e) {
      return giveUp(EndReason.REJECTED, "the slice cannot be given to it: " + e.getMessage());
    } catch (IOException | IllegalArgumentException | ArithmeticException e) {
      return giveUp(
          EndReason.START_FAILED, "its directory could not be prepared: " + e.getMessage());
    }
    Failpoint.AFTER_SPEC.reach();
    SupervisorLauncher.Result result;
    try {
      result = workload.launch(circumstances);
    } catch (IOException e) {
      launches++;
      if (launches < MAX_LAUNCHES) {
        throw e;
      }
      return giveUp(EndReason.START_FAILED, "no supervisor could be started: " + e.getMessage());
    }
    Failpoint.AFTER_LAUNCH.reach();
    return switch (result) {
      case SupervisorLauncher.Result.Started _,
          SupervisorLauncher.Result.AlreadySupervised _,
          SupervisorLauncher.Result.AlreadyStarted _ ->
          Optional.empty();
      case SupervisorLauncher.Result.TooLate _ ->
          giveUp(EndReason.OUT_OF_CONTACT, "out of contact for too long before it could start");
      case SupervisorLauncher.Result.Failed(String problem) ->
          giveUp(EndReason.START_FAILED, problem);
      case SupervisorLauncher.Result.Rejected(String problem) ->
          giveUp(EndReason.REJECTED, problem);
      case SupervisorLauncher.Result.Abandoned _ -> abandoned(circumstances);
    };
  }

  private Optional<AttemptLedger.Refusal> abandoned(Workload.Circumstances circumstances)
      throws IOException {
    Optional<StopOrder> stopped = circumstances.stopped();
    if (stopped.isPresent()) {
      return giveUp(stopped.get());
    }
    throw new IOException("the agent ends; the next one begins anew");
  }

  private Optional<AttemptLedger.Refusal> withoutImage(
      Exception cause, Workload.Circumstances circumstances) throws IOException {
    if (circumstances.isAbandoned()) {
      return abandoned(circumstances);
    }
    String problem = String.valueOf(cause.getMessage());
    return cause instanceof ImageStore.ImageException
        ? giveUp(EndReason.START_FAILED, problem)
        // The machine's fault and not the job's, which may run elsewhere.
        : giveUp(EndReason.REJECTED, "no container could be made: " + problem);
  }

  private List<SlicePlan> realiseSlices() throws IOException {
    List<SlicePlan> plans = machine.driver().plan(key(), assignment.slices());
    if (plans.isEmpty()) {
      return plans;
    }
    if (machine.ledger().slices(key()).isEmpty()) {
      machine.driver().requireRoom(plans);
    }
    machine.ledger().recordSlices(key(), plans);
    long begun = machine.time().monotonicNanos();
    plans.forEach(this::realise);
    machine
        .instruments()
        .slicesRealised(plans, Duration.ofNanos(machine.time().monotonicNanos() - begun));
    Failpoint.AFTER_REALISE.reach();
    return plans;
  }

  private void realise(SlicePlan plan) {
    String device = plan.grant().deviceUuid();
    try {
      machine.driver().realise(plan);
      machine.devices().made(device);
    } catch (GpuDriverException e) {
      machine.devices().refused(device, String.valueOf(e.getMessage()));
      machine.instruments().enforced(Enforcement.SLICE_REFUSED);
      throw e;
    }
  }

  /// Empty when it is too late for that, because a supervisor has the attempt: one that an earlier
  /// agent has launched may come late.
  private Optional<AttemptLedger.Refusal> giveUp(EndReason reason, String problem)
      throws IOException {
    AttemptLedger.Refusal refusal = new AttemptLedger.Refusal(reason, problem);
    boolean recorded = machine.ledger().recordRefusal(key(), refusal);
    Failpoint.AFTER_REFUSAL_RECORD.reach();
    return recorded ? Optional.of(refusal) : Optional.empty();
  }

  private AttemptKey key() {
    return assignment.key();
  }
}

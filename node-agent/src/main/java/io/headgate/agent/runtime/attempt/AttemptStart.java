package io.headgate.agent.runtime.attempt;

import io.headgate.agent.container.ImageStore;
import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.Rendezvous;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.core.WorkerAddress;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.SupervisorLauncher;
import io.headgate.agent.runtime.ledger.AttemptLedger;
import io.headgate.agent.runtime.ledger.Failpoint;
import io.headgate.agent.runtime.telemetry.AgentInstruments;
import io.headgate.agent.runtime.telemetry.Enforcement;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The way of one attempt from its assignment to a supervisor that has it: slices, files, launch.
/// Confined to the attempt's own thread.
final class AttemptStart {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptStart.class);

  /// With the growing waits between them, some five seconds.
  private static final int MAX_LAUNCHES = 10;

  private final AttemptContext context;
  private final Assignment assignment;
  private final Workload workload;
  private final StartBarrier barrier;
  private final Consumer<Input> inputs;
  private int launches;

  AttemptStart(
      AttemptContext context,
      Assignment assignment,
      Workload workload,
      StartBarrier barrier,
      Consumer<Input> inputs) {
    this.context = context;
    this.assignment = assignment;
    this.workload = workload;
    this.barrier = barrier;
    this.inputs = inputs;
  }

  /// After a restart the driver has to know again which slices are taken.
  void adopt() throws IOException {
    Optional<WorkerAddress> address = context.ledger().addresses().of(key());
    if (address.isPresent()) {
      context.gangs().adopted(key(), address.get());
      // A new leader may need it for workers that still wait.
      inputs.accept(new Input.Prepared(key(), address.get()));
    }
    for (SlicePlan plan : context.ledger().slices(key())) {
      try {
        context.driver().realise(plan);
      } catch (GpuDriverException e) {
        LOG.error("{} runs, but the driver does not find its slice: {}", key(), e.getMessage());
      }
    }
  }

  /// Launches the attempt, unless it was or has to be given up.
  ///
  /// @param conditions as they are, whenever they are asked for
  /// @return empty: a supervisor has it; otherwise why it never runs here
  /// @throws IOException when it is unknown how far it came; to be tried again
  Optional<AttemptLedger.Refusal> launch(Workload.StartConditions conditions)
      throws IOException, InterruptedException {
    Optional<AttemptLedger.Refusal> earlier = context.ledger().refusal(key());
    if (earlier.isPresent()) {
      return earlier;
    }
    Optional<StopOrder> stopped = conditions.stopped();
    if (stopped.isPresent()) {
      return giveUp(stopped.get());
    }
    try (AgentInstruments.Timing timing = context.instruments().starting(assignment)) {
      return launch(conditions, timing);
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
      Workload.StartConditions conditions, AgentInstruments.Timing timing)
      throws IOException, InterruptedException {
    Optional<AttemptLedger.Refusal> hopeless = unservable();
    if (hopeless.isPresent()) {
      return giveUp(hopeless.get().reason(), hopeless.get().problem());
    }
    try {
      // Before the slices: an image may take long, or not be there at all.
      workload.fetch(conditions);
    } catch (ImageStore.ImageException | IOException e) {
      return withoutImage(e, conditions);
    }
    List<SlicePlan> plans;
    try {
      plans = realiseSlices(timing);
    } catch (GpuDriverException e) {
      // The machine's fault and not the job's, which may run elsewhere.
      return giveUp(EndReason.REJECTED, "the slice could not be made: " + e.getMessage());
    }
    if (!assignment.startBarrier()) {
      return launch(conditions, timing, plans, Optional.empty());
    }
    try {
      prepared();
    } catch (IOException e) {
      // The machine's fault: another one may have a port.
      return giveUp(EndReason.REJECTED, String.valueOf(e.getMessage()));
    }
    Optional<Rendezvous> rendezvous = barrier.await(conditions);
    if (rendezvous.isEmpty()) {
      return abandoned(conditions);
    }
    Failpoint.AFTER_GO.reach();
    return launch(conditions, timing, plans, rendezvous);
  }

  /// @param rendezvous of a gang's workers
  private Optional<AttemptLedger.Refusal> launch(
      Workload.StartConditions conditions,
      AgentInstruments.Timing timing,
      List<SlicePlan> plans,
      Optional<Rendezvous> rendezvous)
      throws IOException, InterruptedException {
    try {
      long contact = Math.max(context.ledger().contactBootMs(key()), conditions.contactBootMs());
      workload.prepare(plans, contact, timing.traceparent(), rendezvous);
      context.gangs().letGo(key());
    } catch (GpuDriverException e) {
      return giveUp(EndReason.REJECTED, "the slice cannot be given to the job: " + e.getMessage());
    } catch (CheckpointRoots.StorageException e) {
      return giveUp(EndReason.REJECTED, String.valueOf(e.getMessage()));
    } catch (IOException | IllegalArgumentException | ArithmeticException e) {
      return giveUp(
          EndReason.START_FAILED, "its directory could not be prepared: " + e.getMessage());
    }
    Failpoint.AFTER_SPEC.reach();
    SupervisorLauncher.Result result;
    try {
      result = workload.launch(conditions);
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
      case SupervisorLauncher.Result.Abandoned _ -> abandoned(conditions);
    };
  }

  /// Tells the scheduler where the other workers reach this one.
  private void prepared() throws IOException {
    WorkerAddress address = context.gangs().reserve(key(), context.ledger().addresses().of(key()));
    context.ledger().addresses().record(key(), address);
    inputs.accept(new Input.Prepared(key(), address));
  }

  /// Why the machine cannot serve the attempt, as far as is known before anything is fetched;
  /// empty: it may.
  private Optional<AttemptLedger.Refusal> unservable() {
    return assignment
        .container()
        .flatMap(container -> context.images().problem(container.image()))
        // The job's fault: rejected, it would come back for ever, and keep others from this node.
        .map(problem -> new AttemptLedger.Refusal(EndReason.START_FAILED, problem))
        .or(() ->
            context
                .runtime()
                .checkpoints()
                .problem(assignment)
                // The machine's fault: another one may have it.
                .map(problem -> new AttemptLedger.Refusal(EndReason.REJECTED, problem)));
  }

  private Optional<AttemptLedger.Refusal> abandoned(Workload.StartConditions conditions)
      throws IOException {
    Optional<StopOrder> stopped = conditions.stopped();
    if (stopped.isPresent()) {
      return giveUp(stopped.get());
    }
    throw new IOException("the agent is closing; the next agent starts the attempt");
  }

  private Optional<AttemptLedger.Refusal> withoutImage(
      Exception cause, Workload.StartConditions conditions) throws IOException {
    if (conditions.isAbandoned()) {
      return abandoned(conditions);
    }
    String problem = String.valueOf(cause.getMessage());
    return cause instanceof ImageStore.ImageException
        ? giveUp(EndReason.START_FAILED, problem)
        // The machine's fault and not the job's, which may run elsewhere.
        : giveUp(EndReason.REJECTED, "no container could be made: " + problem);
  }

  private List<SlicePlan> realiseSlices(AgentInstruments.Timing timing) throws IOException {
    List<SlicePlan> plans = context.driver().plan(key(), assignment.slices());
    if (plans.isEmpty()) {
      return plans;
    }
    if (context.ledger().slices(key()).isEmpty()) {
      context.driver().requireRoom(plans);
    }
    context.ledger().recordSlices(key(), plans);
    try (AgentInstruments.Making making = timing.makingSlices(plans)) {
      plans.forEach(this::realise);
      making.made();
    }
    Failpoint.AFTER_REALISE.reach();
    return plans;
  }

  private void realise(SlicePlan plan) {
    String device = plan.grant().deviceUuid();
    try {
      context.driver().realise(plan);
      context.devices().made(device);
    } catch (GpuDriverException e) {
      context.devices().refused(device, String.valueOf(e.getMessage()));
      context.instruments().enforced(Enforcement.SLICE_REFUSED);
      throw e;
    }
  }

  /// Records that the attempt never runs here. Empty: not recorded, because a supervisor, perhaps a
  /// late one of an earlier agent, already has it.
  private Optional<AttemptLedger.Refusal> giveUp(EndReason reason, String problem)
      throws IOException {
    AttemptLedger.Refusal refusal = new AttemptLedger.Refusal(reason, problem);
    boolean recorded = context.ledger().recordRefusal(key(), refusal);
    Failpoint.AFTER_REFUSAL_RECORD.reach();
    return recorded ? Optional.of(refusal) : Optional.empty();
  }

  private AttemptKey key() {
    return assignment.key();
  }
}

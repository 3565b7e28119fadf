package io.headgate.scheduler.runtime.leadership;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.Rendezvous;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.core.StopStep;
import io.headgate.agent.core.WorkerAddress;
import io.headgate.agent.grpc.SchedulerRotation;
import io.headgate.agent.grpc.SchedulerSession;
import io.headgate.agent.runtime.Agent;
import io.headgate.agent.runtime.AgentPorts;
import io.headgate.agent.runtime.ControlPlane;
import io.headgate.agent.runtime.attempt.AttemptRunner;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.scheduler.core.node.NodeId;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The agent of a machine: the real loop, session and choice of scheduler, one process after the
/// other, on a [SimulatedMachine].
final class SimulatedAgent {
  private final World world;
  private final Network network;
  private final Auditor auditor;
  private final NodeId node;
  private final SimulatedMachine machine;
  private final List<DeviceInfo> devices;
  private final Map<String, SimulatedReplica> replicas;
  private @Nullable Running running;
  private int starts;
  private double doubled;
  private boolean hasLeft;

  SimulatedAgent(
      World world,
      Network network,
      Auditor auditor,
      NodeId node,
      SimulatedMachine machine,
      Scenario.Parts parts,
      Map<String, SimulatedReplica> replicas) {
    this.world = world;
    this.network = network;
    this.auditor = auditor;
    this.node = node;
    this.machine = machine;
    this.devices = parts.devices(node);
    this.replicas = replicas;
  }

  SimulatedMachine machine() {
    return machine;
  }

  NodeId node() {
    return node;
  }

  Optional<Running> running() {
    return Optional.ofNullable(running);
  }

  void sayTwice(double probability) {
    doubled = probability;
  }

  void start() {
    starts++;
    Running next = new Running();
    running = next;
    world.note(() -> node.name() + "'s agent starts");
    next.during(next::begin);
  }

  void crash() {
    Running current = running;
    if (current != null) {
      world.note(() -> node.name() + "'s agent crashes");
      world.befell(Fault.AGENT_CRASHED);
      running = null;
      current.die();
    }
  }

  void crashAndStart() {
    if (running != null) {
      crash();
      world.later(machine.life(), world.between(0, 20 * World.SECOND), this::startIfDown);
    }
  }

  /// Never starts again.
  void leave() {
    hasLeft = true;
  }

  void standStill(long untilNanos) {
    if (running != null) {
      world.note(() -> node.name() + "'s agent stands still");
      world.befell(Fault.AGENT_STOOD_STILL);
      running.life.standStillUntil(untilNanos);
    }
  }

  /// One process of it.
  final class Running implements ControlPlane {
    private final World.Life life = new World.Life(node.name() + " agent");
    private final Agent agent;
    private final SchedulerRotation rota;
    private @Nullable SchedulerSession session;
    private @Nullable SimulatedStream stream;
    private long triedNanos;
    private long timerAt = Long.MAX_VALUE;
    private boolean isTurnDue;

    private Running() {
      this.agent =
          new Agent(
              node.name(),
              new AgentPorts(
                  machine.records(),
                  machine.outbox(),
                  devices,
                  Care::new,
                  SimulatedPorts.WATCHER,
                  new SimulatedPorts.Programs(machine),
                  machine.clock()));
      this.rota =
          new SchedulerRotation(
              replicas.keySet().stream().map(name -> URI.create("http://" + name + ":1")).toList(),
              world.random());
    }

    World.Life life() {
      return life;
    }

    String place() {
      return node.name();
    }

    NodeId node() {
      return node;
    }

    SimulatedMachine machine() {
      return machine;
    }

    Optional<SimulatedStream> stream() {
      return Optional.ofNullable(stream);
    }

    private void begin() {
      try {
        agent.recover();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      agent.connect(this);
      later(world.between(0, 2 * World.SECOND), this::connect);
    }

    private void die() {
      life.end();
      SimulatedStream open = stream;
      if (open != null) {
        open.cut(false, world.chance(0.8));
      }
    }

    private void later(long nanos, Runnable action) {
      world.later(life, nanos, () -> during(action));
    }

    private void during(Runnable action) {
      try {
        action.run();
      } catch (World.Crash e) {
        crash();
        world.later(
            machine.life(), world.between(0, 20 * World.SECOND), SimulatedAgent.this::startIfDown);
      } catch (RuntimeException e) {
        throw new AssertionError(node.name() + "'s agent failed: " + e, e);
      }
      if (!life.isOver() && !isTurnDue) {
        isTurnDue = true;
        world.later(life, world.between(0, World.MILLI), this::turn);
      }
    }

    /// As the agent's thread. Nothing else is due unless there was something to do.
    private void turn() {
      isTurnDue = false;
      boolean[] did = {false};
      try {
        did[0] = agent.turn();
      } catch (World.Crash e) {
        during(() -> {
          throw e;
        });
        return;
      }
      if (did[0]) {
        during(this::serve);
      }
    }

    private void connect() {
      SimulatedReplica replica = replicas.get(rota.address().getHost());
      SchedulerSession next =
          new SchedulerSession(
              agent,
              new SchedulerSession.Self(
                  "tenants/" + node.tenant() + "/nodes/" + node.name(),
                  node.name() + "-" + starts,
                  machine.bootId(),
                  "1",
                  true),
              machine.clock(),
              machine::bootMs);
      SimulatedStream open = new SimulatedStream(world, network, this, replica, auditor);
      open.sayTwice(doubled);
      triedNanos = machine.clock().monotonicNanos();
      session = next;
      stream = open;
      open.attach(next);
      next.begin();
      if (!replica.isUp()) {
        open.refuse();
      }
    }

    private void serve() {
      SchedulerSession current = session;
      if (current == null) {
        return;
      }
      current.step();
      Optional<SchedulerSession.Outcome> outcome = current.outcome();
      if (outcome.isPresent()) {
        world.note(() -> node.name() + "'s session is over: " + outcome.get());
        current.finish();
        session = null;
        stream = null;
        Duration lasted = Duration.ofNanos(machine.clock().monotonicNanos() - triedNanos);
        Duration pause = rota.after(outcome.get(), lasted);
        later(pause.toNanos(), this::connect);
      } else {
        long wait = machine.clock().real(current.nanosToWait());
        long at = world.now() + wait;
        if (at < timerAt || timerAt <= world.now()) {
          timerAt = at;
          later(
              wait,
              () -> {
                if (timerAt == at) {
                  timerAt = Long.MAX_VALUE;
                  serve();
                }
              });
        }
      }
    }

    void sessionMessage(SimulatedStream from, ConnectResponse message) {
      event(from, open -> open.onNext(message));
    }

    void sessionError(SimulatedStream from, Throwable failure) {
      event(from, open -> open.onError(failure));
    }

    void sessionCompleted(SimulatedStream from) {
      event(from, SchedulerSession::onCompleted);
    }

    private void event(SimulatedStream from, Consumer<SchedulerSession> event) {
      SchedulerSession current = session;
      if (current != null && from.equals(stream)) {
        during(() -> {
          event.accept(current);
          serve();
        });
      }
    }

    // Calls of the loop to the session's side.

    @Override
    public void updatesReady() {
      SchedulerSession current = session;
      if (current != null) {
        current.wake();
      }
    }

    @Override
    public void closing() {
      updatesReady();
    }

    @Override
    public void refuse(io.headgate.agent.core.Leadership leadership) {
      SchedulerSession current = session;
      if (current != null) {
        current.end("its leader was deposed");
      }
    }

    private enum Phase {
      RUNNING,
      SUSPENDING,
      SUSPENDED,
      RESUMING
    }

    /// Looks after one attempt, in the steps of the real care.
    private final class Care implements AttemptRunner {
      private final Assignment assignment;
      private final Consumer<Input> inputs;
      private Phase phase = Phase.RUNNING;
      private Optional<StopOrder> order = Optional.empty();
      private long contactBootMs;
      private boolean isLinked;
      private boolean isDetached;
      private boolean isAtBarrier;
      private boolean isToldToGo;

      Care(Assignment assignment, Consumer<Input> inputs) {
        this.assignment = assignment;
        this.inputs = inputs;
      }

      private AttemptKey key() {
        return assignment.key();
      }

      private void soon(Runnable action) {
        later(
            world.between(World.MILLI / 10, 30 * World.MILLI),
            () -> {
              if (!isDetached) {
                action.run();
              }
            });
      }

      @Override
      public void go(Rendezvous rendezvous) {
        isToldToGo = true;
        leaveBarrier();
      }

      private void leaveBarrier() {
        if (isAtBarrier) {
          isAtBarrier = false;
          soon(this::run);
        }
      }

      private void tellAddress() {
        inputs.accept(new Input.Prepared(key(), new WorkerAddress(node.name(), 0)));
      }

      @Override
      public void start() {
        soon(this::run);
      }

      private void run() {
        if (machine.job(key()).isPresent()) {
          follow();
        } else if (machine.refusal(key()).isPresent()) {
          notStarted(machine.refusal(key()).get());
        } else if (order.isPresent()) {
          giveUp(order.get().kind() == StopOrder.Kind.SHUTDOWN ? "shutdown" : "stopped");
        } else if (assignment.startBarrier() && !isToldToGo) {
          isAtBarrier = true;
          machine.prepared(key());
          tellAddress();
        } else {
          long contact = Math.max(machine.contactBootMs(key()), contactBootMs);
          long takes =
              world.chance(0.05)
                  ? world.between(World.SECOND, 30 * World.SECOND)
                  : world.between(World.MILLI, 200 * World.MILLI);
          // The launcher lives on when the agent dies.
          world.later(
              machine.life(),
              takes,
              () -> {
                Optional<String> problem = machine.launch(assignment, contact);
                soon(() -> {
                  if (problem.isEmpty()) {
                    follow();
                  } else {
                    giveUp(problem.get());
                  }
                });
              });
        }
      }

      private void giveUp(String problem) {
        if (machine.refuse(key(), problem)) {
          notStarted(problem);
        } else {
          follow();
        }
      }

      private void notStarted(String problem) {
        EndReason reason =
            switch (problem) {
              case "too late" -> EndReason.OUT_OF_CONTACT;
              case "shutdown" -> EndReason.NODE_STOPPED;
              default -> EndReason.STOPPED;
            };
        inputs.accept(new Input.NotStarted(key(), reason, problem, machine.clock().instant()));
      }

      private void follow() {
        SimulatedJob job = machine.job(key()).orElseThrow();
        isLinked = true;
        if (machine.isPrepared(key())) {
          // A new leader may need it for workers that still wait.
          tellAddress();
        }
        job.follow(() -> soon(() -> observe(job)));
        job.contact(contactBootMs);
        if (machine.suspension(key()) != 0) {
          phase = Phase.SUSPENDED;
        } else if (job.isFrozen()) {
          goOn(job);
        }
        carryOut(job);
        observe(job);
      }

      private void observe(SimulatedJob job) {
        inputs.accept(
            job.isVanished()
                ? new Input.Vanished(
                    key(), EndReason.LOST, "its supervisor was killed", machine.clock().instant())
                : new Input.Observed(key(), job.observation(), Optional.empty()));
      }

      @Override
      public void contact(long bootMs) {
        contactBootMs = bootMs;
        if (isLinked) {
          machine.job(key()).ifPresent(job -> job.contact(bootMs));
        }
      }

      @Override
      public void stop(StopOrder stop) {
        StopOrder wanted =
            machine.isNotSuspended(key(), stop.suspension()) ? stop.withoutSuspension() : stop;
        order = Optional.of(order.map(wanted::after).orElse(wanted));
        if (isLinked) {
          machine.job(key()).ifPresent(this::carryOut);
        }
        leaveBarrier();
      }

      private void carryOut(SimulatedJob job) {
        if (order.isEmpty()) {
          return;
        }
        StopOrder stop = order.get();
        boolean isPlain = stop.suspension() == 0;
        switch (phase) {
          case RUNNING -> {
            if (isPlain) {
              Duration timeout = assignment.abortCallback().timeout();
              job.stop(stop.kind().word(), stop.skipCallback() ? Duration.ZERO : timeout);
            } else {
              phase = Phase.SUSPENDING;
              soon(() -> suspend(job, stop));
            }
          }
          case SUSPENDED -> {
            if (isPlain) {
              job.stop(stop.kind().word(), Duration.ZERO);
            }
          }
          case SUSPENDING, RESUMING -> {
            if (isPlain && stop.skipCallback()) {
              job.stop(stop.kind().word(), Duration.ZERO);
            }
          }
        }
      }

      private void suspend(SimulatedJob job, StopOrder stop) {
        if (!job.isLive()) {
          return;
        }
        if (world.chance(0.7)) {
          job.freeze();
          // The agent may die before it has told anybody.
          soon(() -> {
            phase = Phase.SUSPENDED;
            carryOut(job);
            inputs.accept(new Input.Suspended(key(), stop.suspension(), Duration.ZERO));
          });
          return;
        }
        machine.notSuspended(key(), stop.suspension());
        inputs.accept(
            new Input.NotSuspended(key(), StopStep.Result.FAILED, Duration.ZERO, "by chance"));
        phase = Phase.RUNNING;
        order = order.map(each -> each.equals(stop) ? each.withoutSuspension() : each);
        carryOut(job);
      }

      @Override
      public void resume() {
        order = Optional.empty();
        if (isLinked) {
          machine.job(key()).ifPresent(this::goOn);
        }
      }

      private void goOn(SimulatedJob job) {
        phase = Phase.RESUMING;
        soon(() -> {
          if (!job.isFrozen()) {
            return;
          }
          if (world.chance(0.9)) {
            job.thaw();
            inputs.accept(new Input.Resumed(key()));
            phase = Phase.RUNNING;
            carryOut(job);
          } else {
            phase = Phase.SUSPENDED;
            inputs.accept(new Input.NotResumed(key(), "by chance"));
          }
        });
      }

      @Override
      public void release(boolean killRemains) {
        later(
            world.between(World.MILLI, 500 * World.MILLI),
            () -> {
              if (!isDetached) {
                inputs.accept(new Input.Released(key(), Duration.ofMillis(1)));
              }
            });
      }

      @Override
      public void detach() {
        isDetached = true;
      }
    }
  }

  /// Starts the agent after a crash, unless it runs already.
  void startIfDown() {
    if (running == null && !hasLeft && machine.isOn()) {
      start();
    }
  }
}

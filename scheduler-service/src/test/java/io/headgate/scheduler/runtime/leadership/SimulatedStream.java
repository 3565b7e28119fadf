package io.headgate.scheduler.runtime.leadership;

import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headgate.agent.grpc.SchedulerSession;
import io.headgate.kit.failure.RefusalException;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.grpc.AgentSessions;
import io.headgate.scheduler.grpc.OpenedSession;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// One stream between an agent and a scheduler, with the real session at either end: in order,
/// delayed, sometimes saying a thing twice, broken off at either end or at one only.
final class SimulatedStream {
  private static final long RETRANSMIT = 500 * World.MILLI;

  private final World world;
  private final Network network;
  private final SimulatedAgent.Running agent;
  private final SimulatedReplica replica;
  private final Auditor auditor;
  private final World.Life replicaLife;
  private final Direction<ConnectRequest> up;
  private final Direction<ConnectResponse> down;
  private @Nullable StreamObserver<ConnectRequest> server;
  private Runnable cancelled = () -> {};
  private boolean isServerOver;
  private boolean isClientOver;
  private double doubled;

  /// Opens it; the server's end opens when the first message gets there.
  SimulatedStream(
      World world,
      Network network,
      SimulatedAgent.Running agent,
      SimulatedReplica replica,
      Auditor auditor) {
    this.world = world;
    this.network = network;
    this.agent = agent;
    this.replica = replica;
    this.auditor = auditor;
    this.replicaLife = replica.life();
    this.up = new Direction<>(replicaLife);
    this.down = new Direction<>(agent.life());
    down.credits = 1;
    up.credits = 1;
  }

  void sayTwice(double probability) {
    doubled = probability;
  }

  /// Breaks it off; each end may or may not notice.
  void cut(boolean clientNotices, boolean serverNotices) {
    up.isLost = true;
    down.isLost = true;
    if (clientNotices) {
      world.later(agent.life(), network.latency(), () -> clientError("cut"));
    }
    if (serverNotices) {
      world.later(replicaLife, network.latency(), this::serverGone);
    }
  }

  ClientCallStreamObserver<ConnectRequest> client() {
    return new Client();
  }

  /// Refuses the connection, as a port does on which no process listens.
  void refuse() {
    world.later(agent.life(), network.latency(), () -> clientError("connection refused"));
  }

  private void clientError(String why) {
    if (!isClientOver) {
      isClientOver = true;
      agent.sessionError(this, Status.UNAVAILABLE.withDescription(why).asRuntimeException());
    }
  }

  private void serverGone() {
    if (!isServerOver) {
      isServerOver = true;
      replica.during(cancelled);
    }
  }

  private void atServer(ConnectRequest message) {
    if (isServerOver) {
      return;
    }
    StreamObserver<ConnectRequest> session = server;
    if (session == null) {
      throw new IllegalStateException("nobody has opened the session");
    }
    replica.during(() -> {
      try {
        session.onNext(message);
      } catch (RefusalException e) {
        // The server's interceptor ends the stream in this way.
        isServerOver = true;
        down.end(() -> clientError(String.valueOf(e.getMessage())));
        cancelled.run();
      }
    });
  }

  /// Messages of one direction, in order.
  private final class Direction<M> {
    private final World.Life receiver;
    private final Deque<Runnable> travelling = new ArrayDeque<>();
    private final Deque<M> arrived = new ArrayDeque<>();
    private boolean isPumping;
    private boolean isLost;
    private int credits;

    Direction(World.Life receiver) {
      this.receiver = receiver;
    }

    void send(M message, java.util.function.Consumer<M> taker) {
      travelling.add(() -> {
        arrived.add(message);
        deliver(taker);
      });
      pump();
    }

    void end(Runnable last) {
      travelling.add(last);
      pump();
    }

    void request(int more, java.util.function.Consumer<M> taker) {
      credits += more;
      if (credits < 0) {
        credits = Integer.MAX_VALUE;
      }
      if (!arrived.isEmpty()) {
        world.later(receiver, 0, () -> deliver(taker));
      }
    }

    private void deliver(java.util.function.Consumer<M> taker) {
      while (credits > 0 && !arrived.isEmpty()) {
        credits--;
        taker.accept(arrived.removeFirst());
      }
    }

    private void pump() {
      if (!isPumping && !travelling.isEmpty()) {
        isPumping = true;
        world.later(receiver, network.latency(), this::arrive);
      }
    }

    private void arrive() {
      if (isLost) {
        return;
      }
      if (network.isBlocked(agent.place(), replica.name())) {
        world.later(receiver, RETRANSMIT, this::arrive);
        return;
      }
      isPumping = false;
      Runnable next = travelling.removeFirst();
      pump();
      next.run();
    }
  }

  /// The agent's end.
  private final class Client extends ClientCallStreamObserver<ConnectRequest> {
    @Override
    public void onNext(ConnectRequest message) {
      if (isClientOver) {
        return;
      }
      world.note(() -> agent.place() + " -> " + replica.name() + ": " + SimulatedText.of(message));
      if (message.hasHello()) {
        up.end(() -> {
          server =
              OpenedSession.open(
                  nodeId(), new Server(), replica.door(), replica.clock(), new AgentSessions());
        });
      }
      up.send(message, SimulatedStream.this::atServer);
      if (!message.hasHello() && world.chance(doubled)) {
        world.befell(Fault.SAID_TWICE);
        up.send(message, SimulatedStream.this::atServer);
      }
    }

    private NodeId nodeId() {
      return agent.node();
    }

    @Override
    public void onError(Throwable failure) {
      cancel("error", failure);
    }

    @Override
    public void onCompleted() {
      up.end(() -> {
        StreamObserver<ConnectRequest> session = server;
        if (session != null && !isServerOver) {
          replica.during(session::onCompleted);
        }
      });
    }

    @Override
    public void cancel(@Nullable String message, @Nullable Throwable cause) {
      if (!isClientOver) {
        isClientOver = true;
        up.end(SimulatedStream.this::serverGone);
      }
    }

    @Override
    public void disableAutoRequestWithInitial(int request) {
      // One, as from the beginning.
    }

    @Override
    public void request(int count) {
      down.request(count, SimulatedStream.this::atClient);
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setOnReadyHandler(Runnable handler) {
      // Always ready.
    }

    @Override
    public void disableAutoInboundFlowControl() {
      // It is.
    }

    @Override
    public void setMessageCompression(boolean enable) {
      // There is none.
    }
  }

  private void atClient(ConnectResponse message) {
    if (!isClientOver) {
      agent.sessionMessage(this, message);
    }
  }

  /// The scheduler's end.
  private final class Server extends ServerCallStreamObserver<ConnectResponse> {
    @Override
    public void onNext(ConnectResponse message) {
      if (isServerOver) {
        return;
      }
      world.note(() -> replica.name() + " -> " + agent.place() + ": " + SimulatedText.of(message));
      auditor.said(replica, message);
      down.send(message, SimulatedStream.this::atClient);
      if (world.chance(doubled)) {
        world.befell(Fault.SAID_TWICE);
        down.send(message, SimulatedStream.this::atClient);
      }
    }

    @Override
    public void onError(Throwable failure) {
      isServerOver = true;
      down.end(() -> clientError(String.valueOf(failure.getMessage())));
    }

    @Override
    public void onCompleted() {
      isServerOver = true;
      down.end(() -> {
        if (!isClientOver) {
          isClientOver = true;
          agent.sessionCompleted(SimulatedStream.this);
        }
      });
    }

    @Override
    public boolean isCancelled() {
      return isServerOver;
    }

    @Override
    public void setOnCancelHandler(Runnable handler) {
      cancelled = handler;
    }

    @Override
    public void setOnCloseHandler(Runnable handler) {
      // Not called here: the side that closes the stream has already forgotten it.
    }

    @Override
    public void disableAutoRequest() {
      up.credits = 0;
    }

    @Override
    public void request(int count) {
      up.request(count, SimulatedStream.this::atServer);
    }

    @Override
    public void setCompression(String compression) {
      // There is none.
    }

    @Override
    public boolean isReady() {
      return !isServerOver;
    }

    @Override
    public void setOnReadyHandler(Runnable handler) {
      // Always ready.
    }

    @Override
    public void disableAutoInboundFlowControl() {
      // It is.
    }

    @Override
    public void setMessageCompression(boolean enable) {
      // There is none.
    }
  }

  /// The session that the agent has with it.
  void attach(SchedulerSession session) {
    session.beforeStart(client());
  }
}

package io.headgate.scheduler.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.grpc.CallThreads;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.AgentServiceGrpc;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import java.util.Objects;

/// The streams of the nodes' agents. A stream speaks for the node that its token names, and for no
/// other.
public final class AgentEndpoint extends AgentServiceGrpc.AgentServiceImplBase {
  private final LeaderDoor door;
  private final AgentSessions sessions;
  private final TimeSource time;

  /// Serves the agents that reach this process.
  public AgentEndpoint(LeaderDoor door, AgentSessions sessions, TimeSource time) {
    this.door = door;
    this.sessions = sessions;
    this.time = time;
  }

  @Override
  public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> out) {
    Principal principal = Principals.current();
    NodeId node =
        new NodeId(
            new TenantId(Objects.requireNonNull(principal.tenant())),
            Objects.requireNonNull(principal.node()));
    ServerCallStreamObserver<ConnectResponse> call =
        (ServerCallStreamObserver<ConnectResponse>) out;
    return new GrpcAgentSession(node, call, CallThreads.writer(), door, sessions, time).open();
  }
}

package io.headgate.scheduler.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;

/// The real session of an agent, over a stream without a socket.
public final class OpenedSession {
  private OpenedSession() {}

  /// Opens a session as [AgentEndpoint] does once it has read the node from the token.
  public static StreamObserver<ConnectRequest> open(
      NodeId node,
      ServerCallStreamObserver<ConnectResponse> out,
      LeaderDoor door,
      TimeSource time,
      AgentSessions sessions) {
    return new GrpcAgentSession(node, out, Runnable::run, door, sessions, time).open();
  }
}

package io.headgate.agent.kubernetes;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The pods of one namespace, as an API server keeps them. It has all calls that the agent needs.
/// There is no watch, because the effects of a pod show in its directory first.
public interface PodApi extends AutoCloseable {
  /// Makes the pod, or finds it as it was made before.
  ///
  /// @throws RefusedException when it is not made, and would not be the next time
  /// @throws IOException when it is unknown whether it was made
  PodState create(PodRequest request) throws IOException;

  /// How the pod stands now; empty: there is none.
  Optional<PodState> find(String name) throws IOException;

  /// Ends and removes the pod; a missing pod counts as removed. It stays until its kubelet reports
  /// that none of its processes lives.
  ///
  /// @param grace between SIGTERM and SIGKILL; at least a second, because without grace the API
  ///   server would forget a pod whose processes may still live
  void delete(String name, Duration grace) throws IOException;

  /// The pods of this agent.
  List<PodState> list() throws IOException;

  @Override
  void close();

  /// A request that is not granted.
  final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    public RefusedException(String message) {
      super(message);
    }
  }
}

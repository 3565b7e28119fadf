package io.headgate.agent.kubernetes;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The pods of one namespace, as an API server keeps them. All that is needed of it: there is no
/// watch, because what a pod does is seen in its directory first.
public interface PodApi extends AutoCloseable {
  /// Makes the pod, or finds it as it was made before.
  ///
  /// @throws RefusedException when it is not made, and would not be the next time
  /// @throws IOException when it is unknown whether it was made
  PodState create(PodRequest request) throws IOException;

  /// How the pod stands now; empty: there is none.
  Optional<PodState> find(String name) throws IOException;

  /// Has the pod ended and removed; what is not there is removed. It stays until its kubelet says
  /// that nothing of it lives.
  ///
  /// @param grace between SIGTERM and SIGKILL; at least a second, because without any the API
  ///   server would forget what may still live
  void delete(String name, Duration grace) throws IOException;

  /// Those of this agent.
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

package io.headgate.agent.kubernetes;

import io.fabric8.kubernetes.api.model.Pod;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// A cluster, of which the node is this machine.
public interface Cluster extends AutoCloseable {
  String NAMESPACE = "headgate-jobs";

  /// An image with the usual programs, and OF_IMAGE in its environment.
  String IMAGE = "registry.example/base:1";

  /// The image with this name cannot be pulled.
  String ABSENT = "registry.example/absent:1";

  /// The API server's address.
  URI uri();

  /// File with an agent's token for the API server; it may be absent.
  Path token();

  /// File with the certificates to trust; it may be absent.
  Path trust();

  /// The cluster's name for this machine.
  String node();

  /// The pods of the namespace, in their present state.
  List<Pod> pods();

  /// Creates a pod that no kubelet runs.
  void leave(Pod pod);

  /// Has the pods go as by `kubectl delete`, with this grace.
  void delete(Duration grace);

  /// Makes the API server forget them, as by `kubectl delete --force`.
  void forget();

  /// Waits until a pod has more memory than it may, which its job is about to have.
  void exhaustMemory();

  @Override
  void close();
}

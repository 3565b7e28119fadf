package io.headgate.agent.kubernetes;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// How pods are made.
///
/// @param server the API server's address
/// @param token file with the agent's token for the API server; read again whenever it changes
/// @param trust PEM file of the certificates to trust; absent: the system's
/// @param namespace of the pods, which has no others
/// @param node they are bound to, as the cluster calls it
/// @param agent tells this agent's pods from those of others; at most 63 letters and digits
/// @param image of jobs that name none; absent: such jobs do not run here
/// @param devices how a pod gets its slices
/// @param pullPatience how long an image that cannot be pulled is waited for
/// @param startPatience how long a pod may take to start
public record PodSettings(
    URI server,
    Optional<Path> token,
    Optional<Path> trust,
    String namespace,
    String node,
    String agent,
    Optional<String> image,
    Devices devices,
    Duration pullPatience,
    Duration startPatience) {
  /// How a pod gets the device of the Container Device Interface that its slices are. The kubelet
  /// passes no annotation of a pod on to the engine as one of its container.
  public enum Devices {
    /// By an annotation that the device injector of NRI reads, a plugin of containerd and CRI-O.
    NRI,
    /// By a variable that NVIDIA's container runtime reads, as the runtime class `nvidia`.
    NVIDIA
  }
}

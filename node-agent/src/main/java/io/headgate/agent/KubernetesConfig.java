package io.headgate.agent;

import io.headgate.agent.kubernetes.PodSettings;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// Jobs as pods of the Kubernetes node that the agent is on, instead of as processes of it. The
/// defaults are those of an agent that is a pod itself.
///
/// @param use whether they are
/// @param server the API server's address
/// @param token file with the agent's token for the API server
/// @param trust PEM file of the certificates to trust; where it is absent, the system's
/// @param namespace of the pods, which has no others
/// @param node the cluster's name for it; absent: the agent's node
/// @param image of jobs that name none; absent: such jobs do not run here
/// @param devices how a pod gets its slices
/// @param pullPatience how long an image that cannot be pulled is waited for
/// @param startPatience how long a pod may take to start
public record KubernetesConfig(
    boolean use,
    URI server,
    Path token,
    Path trust,
    String namespace,
    Optional<String> node,
    Optional<String> image,
    PodSettings.Devices devices,
    Duration pullPatience,
    Duration startPatience) {
  private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");
  private static final String DNS_LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";

  public static final KubernetesConfig DEFAULTS =
      new KubernetesConfig(
          false,
          URI.create("https://kubernetes.default.svc"),
          ACCOUNT.resolve("token"),
          ACCOUNT.resolve("ca.crt"),
          "headgate-jobs",
          Optional.empty(),
          Optional.empty(),
          PodSettings.Devices.NRI,
          Duration.ofSeconds(30),
          Duration.ofMinutes(30));

  public KubernetesConfig {
    Bounds.require(
        String.valueOf(server.getScheme()).matches("https?") && server.getHost() != null,
        "kubernetes.server",
        "'" + server + "'",
        "is not an address; write one like https://kubernetes.default.svc");
    Bounds.require(
        namespace.matches(DNS_LABEL),
        "kubernetes.namespace",
        "'" + namespace + "'",
        "is not a namespace; write 1 to 63 lower-case letters, digits and hyphens");
    node.ifPresent(
        name -> Bounds.said("kubernetes.node", name, "as the cluster calls it, or leave it out"));
    image.ifPresent(
        name -> Bounds.said("kubernetes.image", name, "an image's name, or leave it out for none"));
    Bounds.atLeast("kubernetes.pull-patience", pullPatience, Duration.ZERO);
    Bounds.atLeast("kubernetes.start-patience", startPatience, Duration.ZERO);
  }

  /// As the runtime knows them; empty: jobs are no pods.
  ///
  /// @param nodeId the agent's node
  /// @param agent tells this agent from others of the cluster
  Optional<PodSettings> settings(String nodeId, String agent) {
    if (!use) {
      return Optional.empty();
    }
    return Optional.of(
        new PodSettings(
            server,
            Optional.of(token).filter(Files::exists),
            Optional.of(trust).filter(Files::exists),
            namespace,
            node.orElse(nodeId),
            agent,
            image,
            devices,
            pullPatience,
            startPatience));
  }
}

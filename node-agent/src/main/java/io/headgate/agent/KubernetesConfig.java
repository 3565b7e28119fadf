package io.headgate.agent;

import io.headgate.agent.kubernetes.PodSettings;
import io.headgate.kit.config.Setting;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// Jobs as pods of the Kubernetes node that the agent is on, instead of as processes of it. The
/// defaults are those of an agent that is a pod itself.
public record KubernetesConfig(
    @Setting(meaning = "Whether jobs are pods.") boolean use,
    @Setting(meaning = "Address of the cluster's API server.") URI server,
    @Setting(
            meaning =
                "File with the agent's token for the API server. It is read "
                    + "again for each request.")
        Path token,
    @Setting(
            meaning =
                "PEM file of the certificates to trust. Where it does not "
                    + "exist, those of the system count.")
        Path trust,
    @Setting(
            meaning = "Namespace of the jobs' pods, which has no other pods.",
            bound = "1 to 63 lower-case letters, digits and hyphens")
        String namespace,
    @Setting(meaning = "Name of the node in the cluster.", absent = "the agent's node id")
        Optional<String> node,
    @Setting(meaning = "Image of jobs that name none.", absent = "such jobs do not run here")
        Optional<String> image,
    @Setting(
            meaning =
                "How a pod gets its slices: `nri` by an annotation that NRI's "
                    + "device injector reads, `nvidia` by a variable that NVIDIA's "
                    + "container runtime reads.")
        PodSettings.Devices devices,
    @Setting(
            meaning = "Time for which an image that cannot be fetched is tried again.",
            bound = "at least 0")
        Duration pullPatience,
    @Setting(meaning = "Longest time for a pod to start.", bound = "at least 0")
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

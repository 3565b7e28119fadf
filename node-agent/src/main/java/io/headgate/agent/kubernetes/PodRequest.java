package io.headgate.agent.kubernetes;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.Container.PullPolicy;
import io.headgate.agent.process.NameHash;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// A pod for one attempt. A pod has nothing beyond these properties: no privilege, capability, host
/// namespace, device or other volume, whatever a job asks for.
///
/// @param attempt name of the attempt's directory
/// @param program the supervisor's; the pod's first process
/// @param inside directory that is the pod's argument, writable at its own place
/// @param shown other directories that it finds at their place, writable
/// @param environment of the supervisor
/// @param device one besides those of every container; empty: none
/// @param grace between SIGTERM and SIGKILL, when others than the agent end it
public record PodRequest(
    String name,
    String attempt,
    Image image,
    Path program,
    Path inside,
    List<Path> shown,
    int user,
    Limits limits,
    SortedMap<String, String> environment,
    Optional<String> device,
    Duration grace) {
  private static final int READABLE = 24;
  private static final int DIGEST_DIGITS = 16;

  /// Its files.
  public record Image(String name, PullPolicy pull) {}

  /// Upper limits of the pod; 0: not limited.
  ///
  /// @param diskBytes of its temporary directories and output, which its kubelet counts
  public record Limits(Reserved reserved, long cpuMillis, long memoryBytes, long diskBytes) {}

  /// Amounts that its kubelet sets aside for the pod.
  public record Reserved(long cpuMillis, long memoryBytes) {}

  /// The name of an attempt's pod: always the same for one attempt, and unique. It is readable,
  /// too, as far as 63 characters go.
  ///
  /// @param agent name of the agent that owns the pod
  public static String nameOf(AttemptKey key, String agent) {
    String job =
        key.job()
            .id()
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^a-z0-9]+", "-")
            .replaceAll("^-|-$", "");
    String readable = job.substring(0, Math.min(job.length(), READABLE)).replaceAll("-$", "");
    return "hg-%s-%d-%d-%s"
        .formatted(
            readable, key.attempt(), key.worker(), digest(agent + " " + key.directoryName()));
  }

  /// Stands for a long text in names and labels of a cluster.
  public static String digest(String text) {
    return NameHash.hex(text, DIGEST_DIGITS);
  }

  public PodRequest {
    shown = List.copyOf(shown);
    environment = new TreeMap<>(environment);
  }
}

package io.headgate.agent.kubernetes;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// A request as the API server reads it.
final class PodForm {
  /// Label: which agent's it is.
  static final String AGENT = "headgate.io/agent";

  /// Annotation: whose it is.
  static final String ATTEMPT = "headgate.io/attempt";

  private static final String CONTAINER = "job";
  private static final String INJECTED = "cdi-devices.nri.io/container." + CONTAINER;
  private static final String DISK = "ephemeral-storage";
  private static final String NVIDIA = "nvidia";

  /// With this variable, NVIDIA's images ask for all GPUs of the machine, and NVIDIA's runtime
  /// gives them. The pod therefore overrides it.
  private static final String VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES";

  private static final Path PROGRAM = Path.of("/headgate-supervisor");
  private static final List<String> TEMPORARY = List.of("/tmp", "/var/tmp", "/dev/shm");

  private final List<Volume> volumes = new ArrayList<>();
  private final List<VolumeMount> mounts = new ArrayList<>();

  private PodForm() {}

  static Pod of(PodRequest request, PodSettings settings) {
    return new PodForm().fill(request, settings);
  }

  private Pod fill(PodRequest request, PodSettings settings) {
    SortedMap<String, String> environment = new TreeMap<>(request.environment());
    Map<String, String> annotations = new HashMap<>(Map.of(ATTEMPT, request.attempt()));
    environment.put(VISIBLE_DEVICES, "void");
    boolean byNvidia =
        request.device().isPresent() && settings.devices() == PodSettings.Devices.NVIDIA;
    if (byNvidia) {
      environment.put(VISIBLE_DEVICES, request.device().get());
    } else {
      request.device().ifPresent(device -> annotations.put(INJECTED, "- " + device + "\n"));
    }
    ofMachine("File", request.program(), PROGRAM, true);
    ofMachine("Directory", request.inside(), request.inside(), false);
    request.shown().forEach(path -> ofMachine("Directory", path, path, false));
    TEMPORARY.forEach(this::temporary);
    long user = request.user();
    return new PodBuilder()
        .withNewMetadata()
        .withName(request.name())
        .withNamespace(settings.namespace())
        .addToLabels("app.kubernetes.io/managed-by", "headgate")
        .addToLabels(AGENT, settings.agent())
        .withAnnotations(annotations)
        .endMetadata()
        .withNewSpec()
        .withNodeName(settings.node())
        .withRuntimeClassName(byNvidia ? NVIDIA : null)
        .withRestartPolicy("Never")
        .withAutomountServiceAccountToken(false)
        .withEnableServiceLinks(false)
        .withTerminationGracePeriodSeconds(Math.max(1, request.grace().toSeconds()))
        // A pod that is out of contact runs on until its supervisor ends it. Without this, the
        // cluster would evict it from a node that the cluster does not see.
        .addNewToleration()
        .withOperator("Exists")
        .endToleration()
        .withNewSecurityContext()
        .withRunAsNonRoot(true)
        .withRunAsUser(user)
        .withRunAsGroup(user)
        .withNewSeccompProfile()
        .withType("RuntimeDefault")
        .endSeccompProfile()
        .endSecurityContext()
        .withVolumes(volumes)
        .withContainers(container(request, environment))
        .endSpec()
        .build();
  }

  private Container container(PodRequest request, SortedMap<String, String> environment) {
    return new ContainerBuilder()
        .withName(CONTAINER)
        .withImage(request.image().name())
        .withImagePullPolicy(
            switch (request.image().pull()) {
              case ALWAYS -> "Always";
              case IF_NOT_PRESENT -> "IfNotPresent";
              case NEVER -> "Never";
            })
        .withCommand(PROGRAM.toString(), "--first", request.inside().toString())
        // Why it did not start is the last that it wrote.
        .withTerminationMessagePolicy("FallbackToLogsOnError")
        .withEnv(
            environment.entrySet().stream()
                .map(entry -> new EnvVar(entry.getKey(), entry.getValue(), null))
                .toList())
        .withVolumeMounts(mounts)
        .withNewResources()
        .withRequests(requests(request.limits()))
        .withLimits(limits(request.limits()))
        .endResources()
        .withNewSecurityContext()
        .withPrivileged(false)
        .withAllowPrivilegeEscalation(false)
        .withReadOnlyRootFilesystem(true)
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .endSecurityContext()
        .build();
  }

  private static Map<String, Quantity> resources(long cpuMillis, long memoryBytes) {
    Map<String, Quantity> resources = new HashMap<>();
    if (cpuMillis > 0) {
      resources.put("cpu", new Quantity(cpuMillis + "m"));
    }
    if (memoryBytes > 0) {
      resources.put("memory", new Quantity(Long.toString(memoryBytes)));
    }
    return resources;
  }

  private static Map<String, Quantity> limits(PodRequest.Limits limits) {
    Map<String, Quantity> resources = resources(limits.cpuMillis(), limits.memoryBytes());
    if (limits.diskBytes() > 0) {
      resources.put(DISK, new Quantity(Long.toString(limits.diskBytes())));
    }
    return resources;
  }

  private static Map<String, Quantity> requests(PodRequest.Limits limits) {
    PodRequest.Reserved reserved = limits.reserved();
    Map<String, Quantity> resources = resources(reserved.cpuMillis(), reserved.memoryBytes());
    if (limits.diskBytes() > 0) {
      // Without this, the API server would take the limit for it.
      resources.put(DISK, new Quantity("0"));
    }
    return resources;
  }

  private void ofMachine(String type, Path source, Path target, boolean readOnly) {
    String name = "v" + volumes.size();
    volumes.add(
        new VolumeBuilder()
            .withName(name)
            .withNewHostPath()
            .withPath(source.toString())
            .withType(type)
            .endHostPath()
            .build());
    mounts.add(
        new VolumeMountBuilder()
            .withName(name)
            .withMountPath(target.toString())
            .withReadOnly(readOnly)
            .build());
  }

  private void temporary(String path) {
    String name = path.substring(1).replace('/', '-').toLowerCase(Locale.ROOT);
    volumes.add(
        new VolumeBuilder()
            .withName(name)
            .withNewEmptyDir()
            .withMedium(path.startsWith("/dev") ? "Memory" : null)
            .endEmptyDir()
            .build());
    mounts.add(new VolumeMountBuilder().withName(name).withMountPath(path).build());
  }
}

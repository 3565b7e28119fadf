package io.headgate.agent.kubernetes;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The container of a pod as a kubelet would have it made: namespaces of its own for processes and
/// mounts, the pod's volumes and no others, its user, no capabilities, no way to gain any. Its
/// image is the machine's programs, read-only.
final class StandInContainer {
  private static final String SCRIPT =
      """
      root=$1 user=$2; shift 2
      mount -t tmpfs image "$root"
      for d in bin sbin usr lib lib64 etc; do
        [[ -e /$d ]] || continue
        if [[ -L /$d ]]; then cp -P /$d "$root/$d"; else mkdir "$root/$d"; mount --bind -o ro /$d "$root/$d"; fi
      done
      mkdir -p "$root/proc" "$root/dev"
      mount -t proc proc "$root/proc"
      for d in null zero urandom; do : > "$root/dev/$d"; mount --bind /dev/$d "$root/dev/$d"; done
      while [[ $1 != -- ]]; do
        if [[ $1 = tmp || -d $2 ]]; then mkdir -p "$root/$3"; else : > "$root/$3"; fi
        case $1 in
          tmp) mount -t tmpfs -o mode=1777 tmp "$root/$3" ;;
          *) mount --bind "$2" "$root/$3"; mount -o "remount,bind,$1" "$root/$3" ;;
        esac
        shift 3
      done
      shift
      mount -o remount,ro "$root"
      cd /
      exec chroot "$root" setpriv --reuid "$user" --regid "$user" --clear-groups \\
        --bounding-set=-all --no-new-privs -- "$@"
      """;

  private final Process process;
  private final Path errors;

  private StandInContainer(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
  }

  static StandInContainer start(Pod pod, Path directory) {
    Container container = pod.getSpec().getContainers().getFirst();
    String user = pod.getSpec().getSecurityContext().getRunAsUser().toString();
    try {
      Path root = Files.createTempDirectory(directory, "root");
      Path errors = Files.createTempFile(directory, "stderr", "");
      List<String> command =
          new ArrayList<>(
              List.of(
                  "unshare",
                  "--mount",
                  "--pid",
                  "--fork",
                  "--kill-child=KILL",
                  "bash",
                  "-ec",
                  SCRIPT,
                  "container",
                  root.toString(),
                  user));
      for (VolumeMount mount : outermostFirst(container.getVolumeMounts())) {
        Volume volume =
            pod.getSpec().getVolumes().stream()
                .filter(known -> known.getName().equals(mount.getName()))
                .findFirst()
                .orElseThrow();
        boolean ofMachine = volume.getHostPath() != null;
        command.add(!ofMachine ? "tmp" : mount.getReadOnly() ? "ro" : "rw");
        command.add(ofMachine ? volume.getHostPath().getPath() : "-");
        command.add(mount.getMountPath());
      }
      command.add("--");
      command.addAll(container.getCommand());
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(errors.toFile());
      builder.environment().clear();
      builder.environment().put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
      builder.environment().put("OF_IMAGE", "yes");
      builder.environment().put("KUBERNETES_SERVICE_HOST", "10.0.0.1");
      container
          .getEnv()
          .forEach(entry -> builder.environment().put(entry.getName(), entry.getValue()));
      return new StandInContainer(builder.start(), errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Engines mount volumes in this order.
  private static List<VolumeMount> outermostFirst(List<VolumeMount> mounts) {
    return mounts.stream()
        .sorted(Comparator.comparing(mount -> Path.of(mount.getMountPath()).getNameCount()))
        .toList();
  }

  int awaitEnd() {
    return process.onExit().join().exitValue();
  }

  String lastWords() {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// From outside of its namespaces, as all signals of engines come.
  void stop(Duration grace) {
    try (Stream<ProcessHandle> first = process.children()) {
      first.forEach(ProcessHandle::destroy);
    }
    try {
      if (!process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS)) {
        kill();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// As the kernel kills the largest of its processes, which is not the first.
  void killJob() {
    try (Stream<ProcessHandle> job = process.children().flatMap(ProcessHandle::children)) {
      job.forEach(ProcessHandle::destroyForcibly);
    }
  }

  /// At once.
  void kill() {
    try (Stream<ProcessHandle> first = process.children()) {
      first.forEach(ProcessHandle::destroyForcibly);
    }
    process.onExit().join();
  }
}

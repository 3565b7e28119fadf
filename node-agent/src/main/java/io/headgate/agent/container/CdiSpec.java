package io.headgate.agent.container;

import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.core.JsonText;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// The slices of one attempt as the one device of a specification of the Container Device
/// Interface. The job's container gets them, and so does any other container started with `--device
/// headgate.io/slice=NAME`. The version is the first that has all needed fields, so that any engine
/// reads it.
///
/// @param name of the device
/// @param environment that tells libraries which devices they have
/// @param nodes device files
/// @param mounts of the machine
public record CdiSpec(
    String name,
    SortedMap<String, String> environment,
    List<DeviceNode> nodes,
    List<Mount> mounts) {
  /// The kind of all such devices.
  public static final String KIND = "headgate.io/slice";

  private static final String VERSION = "0.3.0";

  /// A file or directory of the machine in the container.
  ///
  /// @param target where it is found there
  public record Mount(Path source, Path target, boolean readOnly) {
    private List<String> options() {
      return List.of("rbind", "nosuid", "nodev", readOnly ? "ro" : "rw");
    }
  }

  public CdiSpec {
    environment = new TreeMap<>(environment);
    nodes = List.copyOf(nodes);
    mounts = List.copyOf(mounts);
  }

  /// The content of the device's file.
  public String toJson() {
    return """
    {
      "cdiVersion": %s,
      "kind": %s,
      "devices": [{"name": %s, "containerEdits": {
        "env": %s,
        "deviceNodes": %s,
        "mounts": %s
      }}]
    }
    """
        .formatted(
            JsonText.of(VERSION),
            JsonText.of(KIND),
            JsonText.of(name),
            list(
                environment.entrySet().stream()
                    .map(entry -> JsonText.of(entry.getKey() + "=" + entry.getValue()))
                    .toList()),
            list(nodes.stream().map(CdiSpec::node).toList()),
            list(mounts.stream().map(CdiSpec::mount).toList()));
  }

  private static String node(DeviceNode node) {
    return "{\"path\": %s, \"type\": \"c\", \"major\": %d, \"minor\": %d, \"permissions\": \"rw\"}"
        .formatted(JsonText.of("/dev/" + node.name()), node.major(), node.minor());
  }

  private static String mount(Mount mount) {
    return "{\"hostPath\": %s, \"containerPath\": %s, \"options\": %s}"
        .formatted(
            JsonText.of(mount.source.toString()),
            JsonText.of(mount.target.toString()),
            list(mount.options().stream().map(JsonText::of).toList()));
  }

  private static String list(List<String> items) {
    return "[" + String.join(", ", items) + "]";
  }
}

package io.headgate.sdk.config;

import io.headgate.sdk.config.ScenarioFile.DeclaredJob;
import io.headgate.sdk.config.ScenarioFile.DeclaredNode;
import io.headgate.sdk.config.ScenarioFile.Geometry;
import io.headgate.sdk.config.ScenarioFile.Place;
import io.headgate.sdk.config.ScenarioFile.Running;
import io.headgate.sdk.config.ScenarioFile.Share;
import io.headgate.sdk.config.ScenarioFile.Worker;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads the `running` section: no two jobs have one slice, and no machine is used beyond its
/// capacity.
final class ScenarioRunningReader {

  private record DeviceName(String node, int device) {}

  private final ScenarioNodesReader nodes;
  private final ScenarioJobsReader jobs;
  private final Map<DeviceName, Long> usedUnits = new HashMap<>();

  ScenarioRunningReader(ScenarioNodesReader nodes, ScenarioJobsReader jobs) {
    this.nodes = nodes;
    this.jobs = jobs;
  }

  List<Running> read(MappingReader root) {
    List<Running> running = new ArrayList<>();
    for (MappingReader fields : root.items("running", ScenarioKeys.RUNNING.names())) {
      DeclaredJob job = jobs.read(fields, 1);
      ValueReader values = new ValueReader(fields);
      List<Worker> workers = workers(fields);
      checkPools(fields, workers);
      running.add(
          new Running(
              job,
              values.integer(ScenarioKeys.ATTEMPT),
              workers,
              values.duration(ScenarioKeys.STARTED_AGO)));
    }
    return running;
  }

  private List<Worker> workers(MappingReader fields) {
    if (fields.value("workers") == null) {
      return List.of(worker(fields));
    }
    if (fields.has("node") || fields.has("devices")) {
      fields
          .problems()
          .add(
              Problem.of(
                      "KEY_NOT_ALLOWED",
                      fields.path() + " has workers and a node of its own",
                      fields.span(),
                      fields.path("workers"))
                  .note("workers have their nodes")
                  .next("keep workers, or node and devices"));
    }
    List<Worker> workers = new ArrayList<>();
    for (MappingReader each : fields.items("workers", ScenarioKeys.WORKERS.names())) {
      workers.add(worker(each));
    }
    if (workers.isEmpty() && fields.problems().clean(fields.path("workers"))) {
      fields.missing("workers", "say where each worker runs: workers: [{node: …, devices: […]}]");
      workers.add(new Worker(ValueReader.UNREADABLE, List.of()));
    }
    return workers;
  }

  private Worker worker(MappingReader fields) {
    ValueReader values = new ValueReader(fields);
    String name = values.name("node", "name the node it runs on");
    YamlTree.Scalar scalar = fields.scalar("node");
    Optional<DeclaredNode> node = nodes.find(name);
    if (scalar != null && node.isEmpty() && !name.equals(ValueReader.UNREADABLE)) {
      nodes.check(scalar, fields.path("node"), fields.problems());
    }
    List<Share> shares = new ArrayList<>();
    for (MappingReader device : fields.items("devices", ScenarioKeys.DEVICES.names())) {
      share(device, name, node).ifPresent(shares::add);
    }
    shares.sort(Comparator.comparingInt(Share::index));
    return new Worker(name, shares);
  }

  private Optional<Share> share(MappingReader fields, String name, Optional<DeclaredNode> node) {
    ValueReader values = new ValueReader(fields);
    YamlTree.Scalar scalar = fields.scalar("index");
    if (fields.value("index") == null) {
      fields.missing("index", "give the device's number on its node, from 0");
    }
    if (scalar == null || node.isEmpty()) {
      return Optional.empty();
    }
    int devices = node.get().gpus();
    int index = values.integer(ScenarioKeys.DEVICE_INDEX);
    if (index >= devices) {
      values.bad(
          scalar,
          "index",
          "is not a device of " + name,
          devices == 0 ? name + " has no devices" : "its devices are 0 to " + (devices - 1));
    }
    GpuQuantity gpus = values.quantityOrNull("gpus");
    if (index < 0 || index >= devices || !fields.problems().clean(fields.path("gpus"))) {
      return Optional.empty();
    }
    if (gpus != null && gpus.equals(GpuQuantity.ZERO)) {
      YamlTree.Scalar nothing = fields.scalar("gpus");
      if (nothing != null) {
        values.bad(
            nothing, "gpus", "is not a part of a device", "write more than 0, or leave it out");
      }
      return Optional.empty();
    }
    Share share =
        new Share(index, gpus == null ? GpuQuantity.ONE : gpus, place(fields, node.get()));
    long used = usedUnits.merge(new DeviceName(name, index), share.gpus().units(), Long::sum);
    if (used > GpuQuantity.UNITS_PER_GPU) {
      fields
          .problems()
          .add(
              Problem.of(
                      "DEVICE_TAKEN",
                      "device %d of %s is used beyond 1 GPU".formatted(index, name),
                      fields.span(),
                      fields.path())
                  .value(share.gpus().toString())
                  .note(GpuQuantity.format(used) + " > 1")
                  .next("give the job another device, or less of this one"));
    }
    return Optional.of(share);
  }

  private static @Nullable Place place(MappingReader fields, DeclaredNode node) {
    ValueReader values = new ValueReader(fields);
    YamlTree.Scalar scalar = fields.scalar("slice");
    String text = values.textOrNull("slice", 40);
    if (scalar == null || text == null) {
      return null;
    }
    if (node.geometry() == Geometry.CONTINUOUS) {
      values.bad(
          scalar,
          "slice",
          "is a place on a device that has none",
          "leave slice out, or give the node geometry: mig or amd");
      return null;
    }
    Optional<Place> place = Place.parse(text);
    if (place.isEmpty()) {
      values.bad(scalar, "slice", "is not a place", "write size@first memory slice, such as 3g@4");
    }
    return place.orElse(null);
  }

  /// A job runs in one pool.
  private void checkPools(MappingReader fields, List<Worker> workers) {
    List<String> pools =
        workers.stream()
            .flatMap(worker -> nodes.find(worker.node()).stream())
            .map(DeclaredNode::pool)
            .distinct()
            .toList();
    if (pools.size() > 1) {
      fields
          .problems()
          .add(
              Problem.of(
                      "BAD_VALUE",
                      "the workers of one job run in one pool",
                      fields.span(),
                      fields.path("workers"))
                  .note("these run in " + EnglishText.all(pools))
                  .next("place all of them on nodes of one pool"));
    }
  }
}

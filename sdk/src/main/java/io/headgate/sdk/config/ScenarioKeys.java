package io.headgate.sdk.config;

import static io.headgate.sdk.config.ConfigurationKeys.CPUS;
import static io.headgate.sdk.config.ConfigurationKeys.MEMORY;
import static io.headgate.sdk.config.ConfigurationKeys.QUANTITY;

import io.headgate.sdk.config.FileKey.DurationKey;
import io.headgate.sdk.config.FileKey.FlagKey;
import io.headgate.sdk.config.FileKey.IntegerKey;
import io.headgate.sdk.config.FileKey.KeywordKey;
import io.headgate.sdk.config.FileKey.OptionalKeywordKey;
import io.headgate.sdk.config.FileKey.PlainKey;
import io.headgate.sdk.config.FileKey.Section;
import io.headgate.sdk.config.FileKey.TextKey;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/// Every key that a scenario file has beyond those of a configuration.
final class ScenarioKeys {
  static final int MOST_NODES = 200_000;
  static final int MOST_JOBS = 2_000_000;
  private static final int HIGHEST_PRIORITY = 1_000_000;

  static final Section TOP =
      Section.of(
          "",
          "A configuration with nodes and jobs, for headgate simulate.",
          ConfigurationKeys.API_VERSION,
          new PlainKey("kind", "text", FileKey.REQUIRED, ScenarioFile.KIND, "Kind of the file."),
          FileKey.of("configuration", "mapping", FileKey.REQUIRED, "Configuration at 0s."),
          FileKey.list("nodes", "Nodes at 0s."),
          FileKey.list("running", "Jobs that run at 0s."),
          FileKey.list("waiting", "Jobs that wait at 0s, in the order of their queues."),
          FileKey.list("events", "Events after 0s, in time order."),
          FileKey.of("options", "mapping", "", "How the simulated installation behaves."));

  static final Section CONFIGURATION =
      Section.of(
          "configuration",
          "The sections of a configuration file without `vaults`. Without groups, every user may"
              + " submit to every queue.",
          FileKey.of("tenant", "name", "", "Tenant of policies that name none."),
          FileKey.of(
              "budget", "mapping", "", "As in a configuration; a simulation ignores budgets."),
          FileKey.list("tenants", "Tenants that share the pools."),
          FileKey.list("groups", "As in a configuration."),
          FileKey.list("pools", "As in a configuration."),
          FileKey.list("profiles", "As in a configuration."),
          FileKey.list("departments", "As in a configuration, with the key `tenant`."),
          FileKey.list("policies", "As in a configuration, with the key `tenant`."));

  static final PlainKey POLICY_TENANT =
      FileKey.reference("tenant", "tenants", "", "Tenant that the policy belongs to.");
  static final Section POLICIES =
      new Section(
          PolicyKeys.POLICIES.path(),
          PolicyKeys.POLICIES.meaning(),
          Stream.concat(PolicyKeys.POLICIES.keys().stream(), Stream.of(POLICY_TENANT)).toList());

  static final Section DEPARTMENTS =
      new Section(
          PolicyKeys.DEPARTMENTS.path(),
          PolicyKeys.DEPARTMENTS.meaning(),
          Stream.concat(
                  PolicyKeys.DEPARTMENTS.keys().stream(),
                  Stream.of(
                      FileKey.reference(
                          "tenant", "tenants", "", "Tenant that the department belongs to.")))
              .toList());

  static final Section TENANTS =
      Section.of(
          "configuration.tenants[]",
          "A tenant that shares pools with others.",
          FileKey.declaration("Name of the tenant."),
          FileKey.list("shares", "Its rights, at most one entry for each pool."));

  static final IntegerKey SHARE_WEIGHT =
      new IntegerKey(
          "weight", 1, 1, 10_000, "Share of idle capacity above reservations among tenants.");
  static final Section SHARES =
      Section.of(
          "configuration.tenants[].shares[]",
          "The rights of a tenant in one pool.",
          FileKey.reference("pool", "pools", FileKey.REQUIRED, "Pool that is shared."),
          FileKey.of("reservation", QUANTITY, "0", "GPUs that the tenant can reclaim."),
          FileKey.of("limit", QUANTITY, "", "Most GPUs that the tenant may use."),
          SHARE_WEIGHT);

  static final IntegerKey NODE_COUNT =
      new IntegerKey(
          "count", 1, 1, MOST_NODES, "Number of such nodes; several are called NAME-0, NAME-1, …");
  static final IntegerKey NODE_GPUS = new IntegerKey("gpus", 0, 0, 64, "GPUs of each node.");
  static final TextKey NODE_GPU_MODEL = new TextKey("gpuModel", 64, "Model of the GPUs.");
  static final KeywordKey<ScenarioFile.Geometry> GEOMETRY =
      new KeywordKey<>(
          "geometry", ScenarioFile.Geometry.CONTINUOUS, "How the GPUs divide into slices.");
  static final OptionalKeywordKey<Profile.Isolation> NODE_ISOLATION =
      new OptionalKeywordKey<>(
          "isolation",
          Profile.Isolation.class,
          "",
          "Strongest isolation of a slice; without it, what the geometry gives.");
  static final Section NODES =
      Section.of(
          "nodes[]",
          "Nodes of one kind.",
          new PlainKey("name", "free name", FileKey.REQUIRED, "unique", "Name of the node."),
          NODE_COUNT,
          FileKey.reference("pool", "pools", FileKey.REQUIRED, "Pool of the nodes."),
          NODE_GPUS,
          NODE_GPU_MODEL,
          FileKey.of("gpuMemory", MEMORY, "", "Memory of each GPU; without it, not counted."),
          FileKey.of("cpus", CPUS, "", "Processors; without it, not counted."),
          FileKey.of("memory", MEMORY, "", "Main memory; without it, not counted."),
          GEOMETRY,
          NODE_ISOLATION);

  static final IntegerKey PRIORITY =
      new IntegerKey(
          "priority",
          0,
          -HIGHEST_PRIORITY,
          HIGHEST_PRIORITY,
          "Among jobs equal by O1 to O4, the higher is first.");

  static final FlagKey MOVABLE =
      new FlagKey(
          "movable", false, "Whether it may be moved to make room, in a pool with `consolidate`.");

  /// The keys of every job, whatever section it stands in.
  static final List<FileKey> JOB =
      List.of(
          new PlainKey(
              "queue", "name", FileKey.REQUIRED, "of the configuration", "Queue of the job."),
          new PlainKey("job", "free name", FileKey.REQUIRED, "unique", "Name of the job."),
          FileKey.of("user", "free name", "required with groups", "User that submits the job."),
          PRIORITY,
          FileKey.of("preemptible", "true or false", "as the policy", "Whether it is preempted."),
          MOVABLE,
          FileKey.of("maxRuntime", "duration", "", "Promised longest runtime."),
          FileKey.of("duration", "duration", "until cancelled", "Runtime that the work takes."),
          FileKey.of("checkpoint", "duration", "", "Interval at which the job saves its work."));

  static final IntegerKey ATTEMPT =
      new IntegerKey("attempt", 1, 1, 1_000_000, "Number of the attempt.");
  static final DurationKey STARTED_AGO =
      new DurationKey("startedAgo", Duration.ZERO, "Time since the attempt started.");
  static final Section RUNNING =
      job(
          "running[]",
          "A job that runs at 0s, on one `node` or on those of its `workers`.",
          new PlainKey("node", "free name", "", "declared under nodes", "Node of its only worker."),
          FileKey.list("devices", "Devices of its only worker."),
          FileKey.list("workers", "Workers, each with `node` and `devices`."),
          STARTED_AGO,
          ATTEMPT);

  static final Section WORKERS =
      Section.of(
          "running[].workers[]",
          "One worker of a gang.",
          new PlainKey(
              "node", "free name", FileKey.REQUIRED, "declared under nodes", "Node of the worker."),
          FileKey.list("devices", "Devices of the worker."));

  static final IntegerKey DEVICE_INDEX =
      new IntegerKey("index", -1, 0, 63, FileKey.REQUIRED, "Number of the device on its node.");
  static final Section DEVICES =
      Section.of(
          "running[].devices[]",
          "A device, or a part of one.",
          DEVICE_INDEX,
          FileKey.of("gpus", QUANTITY, "1", "Part of the device that the job uses."),
          FileKey.of(
              "slice", "place", "", "Place of the slice, such as 3g@4, on a divided device."));

  static final IntegerKey JOB_COUNT =
      new IntegerKey(
          "count", 1, 1, MOST_JOBS, "Number of such jobs; several are called JOB-0, JOB-1, …");
  static final DurationKey WAITED_SINCE =
      new DurationKey("waitedSince", Duration.ZERO, "Time that the job has waited at 0s.");
  static final Section WAITING =
      job("waiting[]", "A job that waits at 0s.", JOB_COUNT, WAITED_SINCE);
  static final Section SUBMIT = job("events[].submit", "A job that is submitted.", JOB_COUNT);

  /// The keys that say what an event does. An event has exactly one of them.
  static final List<FileKey> ACTIONS =
      List.of(
          FileKey.of("submit", "mapping", "", "Submits a job."),
          FileKey.of("cancel", "free name", "", "Cancels this job."),
          FileKey.of("nodeDown", "free name", "", "This node fails."),
          FileKey.of("nodeUp", "free name", "", "This node works again."),
          FileKey.of("set", "mapping", "", "Changes keys of an object: {policy: NAME, limit: 3}."),
          FileKey.of("provision", "mapping", "", "Replaces `pools`, `profiles` or both."));

  static final Section EVENTS =
      new Section(
          "events[]",
          "Something that happens at a time: `at` and exactly one other key.",
          Stream.concat(
                  Stream.<FileKey>of(
                      FileKey.of("at", "duration", FileKey.REQUIRED, "Time since the beginning.")),
                  ACTIONS.stream())
              .toList());

  static final DurationKey STOP_TIME =
      new DurationKey(
          "stopTime",
          ScenarioFile.Options.DEFAULT.stopTime(),
          "Time from the request to stop a job to freed capacity.");
  static final DurationKey PROVISION_TIME =
      new DurationKey(
          "provisionTime",
          ScenarioFile.Options.DEFAULT.provisionTime(),
          "Time from the request for an instance to a node that takes work.");
  static final Section OPTIONS =
      Section.of(
          "options",
          "How the simulated installation behaves.",
          STOP_TIME,
          PROVISION_TIME,
          FileKey.of(
              "until", "duration", "", "End; without it, the simulation runs until all is done."));

  /// All sections, in the order of a file.
  static final List<Section> ALL =
      List.of(
          TOP,
          CONFIGURATION,
          TENANTS,
          SHARES,
          NODES,
          RUNNING,
          WORKERS,
          DEVICES,
          WAITING,
          EVENTS,
          SUBMIT,
          OPTIONS);

  private ScenarioKeys() {}

  private static Section job(String path, String meaning, FileKey... more) {
    return new Section(path, meaning, Stream.concat(JOB.stream(), Stream.of(more)).toList());
  }
}

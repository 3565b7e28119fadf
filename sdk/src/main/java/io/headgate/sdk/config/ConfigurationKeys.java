package io.headgate.sdk.config;

import io.headgate.sdk.config.FileKey.BoundedDurationKey;
import io.headgate.sdk.config.FileKey.DurationKey;
import io.headgate.sdk.config.FileKey.FlagKey;
import io.headgate.sdk.config.FileKey.IntegerKey;
import io.headgate.sdk.config.FileKey.KeywordKey;
import io.headgate.sdk.config.FileKey.OptionalKeywordKey;
import io.headgate.sdk.config.FileKey.PlainKey;
import io.headgate.sdk.config.FileKey.Section;
import io.headgate.sdk.config.FileKey.TextKey;
import io.headgate.sdk.config.FileKey.TextListKey;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/// The keys of a configuration file; those of policies and departments are in [PolicyKeys]. A key
/// that is missing here and there is unknown to the reader.
final class ConfigurationKeys {
  static final String QUANTITY = "GPU quantity";
  static final String MEMORY = "memory";
  static final String CPUS = "CPUs";

  private static final Duration YEAR = Duration.ofDays(365);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final int MOST_INSTANCES = 100_000;

  static final PlainKey API_VERSION =
      new PlainKey(
          "apiVersion",
          "text",
          FileKey.REQUIRED,
          Configuration.API_VERSION,
          "Version of the file format.");

  static final KeywordKey<Visibility> VISIBILITY =
      new KeywordKey<>(
          "visibility",
          Visibility.OWN,
          "`own`: members see their own jobs and those of their groups; `tenant`: they see what all"
              + " of the tenant run.");

  static final Section TOP =
      Section.of(
          "",
          "The file describes all objects of one tenant.",
          API_VERSION,
          new PlainKey("kind", "text", FileKey.REQUIRED, Configuration.KIND, "Kind of the file."),
          FileKey.of(
              "tenant",
              "name",
              "tenant of the session",
              "Tenant that the configuration belongs to."),
          VISIBILITY,
          FileKey.of(
              "budget", "mapping", "", "GPU time or money for all jobs of the tenant in a period."),
          FileKey.of(
              "admins",
              "list of names",
              "stay as they are",
              "Exactly the users who govern the tenant. Absent users are made."),
          FileKey.list("groups", "Users that share policies."),
          FileKey.list("pools", "Hardware."),
          FileKey.list("profiles", "Job sizes."),
          FileKey.list("departments", "Levels between the tenant and its policies."),
          FileKey.list("policies", "Rights of groups, with their queues."),
          FileKey.list(
              "vaults", "Images and commands that jobs may use, and environment that they get."));

  static final Section GROUPS =
      Section.of(
          "groups[]",
          "A group of users and service accounts.",
          FileKey.declaration("Name of the group."),
          FileKey.of("users", "list of names", "", "Users in the group."),
          FileKey.of("serviceAccounts", "list of names", "", "Service accounts in the group."),
          FileKey.of(
              "leads",
              "list of names",
              "",
              "Users of the group that may cancel and requeue its jobs."));

  static final KeywordKey<Pool.Type> POOL_TYPE =
      new KeywordKey<>(
          "type",
          Pool.Type.STATIC,
          "Nodes of a static pool join by themselves; an elastic pool rents its nodes.");
  static final TextKey GPU_MODEL =
      new TextKey("gpuModel", 64, "Only devices of this model belong to the pool.");
  static final KeywordKey<Pool.Mig> POOL_MIG =
      new KeywordKey<>(
          "mig",
          Pool.Mig.KEEP,
          "`keep`: GPUs stay as they are, and those in MIG mode give MIG slices. `auto`: the agent turns"
              + " MIG on for each idle GPU that can do it, so that fractions get slices in hardware.");
  static final BoundedDurationKey PROMOTE_AFTER =
      new BoundedDurationKey(
          "promoteAfter",
          SECOND,
          YEAR,
          "never",
          "A job that has waited longer starts as if its profile and rank were first.");
  static final FlagKey CONSOLIDATE =
      new FlagKey(
          "consolidate", false, "Moves jobs that say `movable`, to make room for a blocked job.");
  static final TextKey PROVIDER =
      new TextKey("provider", 64, "required if elastic", "Plug-in that rents the instances.");
  static final IntegerKey MIN_INSTANCES =
      new IntegerKey(
          "minInstances", 0, 0, MOST_INSTANCES, "Instances that an elastic pool always keeps.");
  static final IntegerKey MAX_INSTANCES =
      new IntegerKey(
          "maxInstances",
          1,
          1,
          MOST_INSTANCES,
          "required if elastic",
          "Most instances that an elastic pool rents at one time.");
  static final DurationKey IDLE_TIMEOUT =
      new DurationKey(
          "idleTimeout",
          Pool.Elasticity.DEFAULT_IDLE_TIMEOUT,
          "An instance without work for this long is given back.");
  static final FlagKey SPOT =
      new FlagKey("spot", false, "Rents instances that the provider may take back at any time.");

  static final List<FileKey> ELASTIC =
      List.of(
          PROVIDER,
          FileKey.of("settings", "mapping of texts", "", "Settings that the plug-in understands."),
          MIN_INSTANCES,
          MAX_INSTANCES,
          IDLE_TIMEOUT,
          SPOT);

  static final Section POOLS =
      new Section(
          "pools[]",
          "Hardware of one kind. The keys from `provider` on are for elastic pools only.",
          Stream.concat(
                  Stream.<FileKey>of(
                      FileKey.declaration("Name of the pool."),
                      POOL_TYPE,
                      GPU_MODEL,
                      FileKey.of(
                          "capacity",
                          QUANTITY,
                          "all live nodes",
                          "Most GPUs of the pool that may be in use at one time."),
                      POOL_MIG,
                      FileKey.references(
                          "order",
                          "profiles",
                          "",
                          "Profiles whose jobs the pool serves first, in this order; the others"
                              + " share one place."),
                      PROMOTE_AFTER,
                      CONSOLIDATE,
                      FileKey.of(
                          "fairness",
                          "mapping",
                          "past use does not count",
                          "How past use counts in the fair share."),
                      FileKey.of(
                          "dedicatedTo",
                          "mapping",
                          "",
                          "Policy or group that alone may use the pool."),
                      new PlainKey(
                          "pricePerGpuHour",
                          "decimal number",
                          "",
                          "at most 9 digits and 6 decimals",
                          "Price of one GPU for one hour, for reports."),
                      new PlainKey(
                          "currency", "text", "", "3 capital letters", "Currency of the price."),
                      FileKey.of(
                          "storage",
                          "name",
                          "each node's own directory",
                          "Shared storage for checkpoints, by its name in the nodes'"
                              + " `agent.storages`. A node without it gets no job of the pool."),
                      FileKey.DESCRIPTION,
                      FileKey.of(
                          "instance",
                          "mapping",
                          "required if elastic",
                          "Shape of one machine. A node whose first report exceeds it waits for an"
                              + " admin's approval.")),
                  ELASTIC.stream())
              .toList());

  static final BoundedDurationKey HALF_LIFE =
      new BoundedDurationKey(
          "halfLife",
          SECOND,
          YEAR,
          FileKey.REQUIRED,
          "Past use above the reservation counts half after this time.");

  static final Section FAIRNESS =
      Section.of(
          "pools[].fairness", "How past use of the pool counts in the fair share.", HALF_LIFE);

  static final Section DEDICATION =
      Section.of(
          "pools[].dedicatedTo",
          "Exactly one of the two keys.",
          FileKey.reference("policy", "policies", "", "Policy that alone may use the pool."),
          FileKey.reference("group", "groups", "", "Group that alone may use the pool."));

  static final IntegerKey INSTANCE_GPUS =
      new IntegerKey("gpus", 0, 0, 64, "GPUs of one machine; a static pool states it.");
  static final TextKey INSTANCE_GPU_MODEL =
      new TextKey(
          "gpuModel", 64, "Model of the GPUs; a static pool without it has the pool's `gpuModel`.");

  static final Section INSTANCE =
      Section.of(
          "pools[].instance",
          "Shape of one machine: the scheduler plans elastic pools with it; in static pools it only"
              + " bounds first reports.",
          INSTANCE_GPUS,
          INSTANCE_GPU_MODEL,
          FileKey.of("gpuMemory", MEMORY, "0B", "Memory of each GPU; 0 is not stated."),
          FileKey.of("cpus", CPUS, "0", "Processors; in a static pool, 0 bounds nothing."),
          FileKey.of("memory", MEMORY, "0B", "Main memory; in a static pool, 0 bounds nothing."));

  static final IntegerKey WORKERS =
      new IntegerKey(
          "workers", 1, 1, 10_000, "Workers of one job; several are a gang and start together.");
  static final OptionalKeywordKey<Profile.Isolation> ISOLATION =
      new OptionalKeywordKey<>(
          "isolation",
          Profile.Isolation.class,
          "",
          "Weakest isolation that a job accepts on a shared GPU; without it, any.");
  static final TextListKey GPU_MODELS =
      new TextListKey(
          "gpuModels", 100, 64, "Models of GPU that the jobs may use; without it, any.");
  static final FlagKey IMAGES =
      new FlagKey(
          "images", false, "Jobs may name an image; they then use only nodes that run images.");
  static final DurationKey HOLD_AFTER =
      new DurationKey(
          "holdAfter",
          Profile.DEFAULT_HOLD_AFTER,
          "After this wait, a blocked job has capacity of its pool, or headroom in its limit, kept for"
              + " it.");
  static final DurationKey PREEMPTION_DELAY =
      new DurationKey(
          "preemptionDelay",
          Profile.DEFAULT_PREEMPTION_DELAY,
          "An entitled job waits this long for an elastic pool before it preempts.");
  static final KeywordKey<Profile.Reclaim> RECLAIM =
      new KeywordKey<>(
          "reclaim",
          Profile.Reclaim.RESERVATION,
          "By rule P1; `strict` keeps reservations whole, `rank` adds P7, `fair` adds P10.");

  static final Section PROFILES =
      Section.of(
          "profiles[]",
          "A job size and the pools that it may run in.",
          FileKey.declaration("Name of the profile."),
          FileKey.of(
              "gpus",
              QUANTITY,
              FileKey.REQUIRED,
              "GPUs of one worker: 0, a fraction of one GPU, or a whole number."),
          WORKERS,
          FileKey.of("cpus", CPUS, "0", "Processors of one worker; 0 is not counted."),
          FileKey.of("memory", MEMORY, "0B", "Main memory of one worker; 0 is not counted."),
          FileKey.of(
              "gpuMemory",
              MEMORY,
              "0B",
              "GPU memory of one worker's slice; 0 is the same fraction of the device's memory."),
          ISOLATION,
          GPU_MODELS,
          IMAGES,
          FileKey.references(
              "pools",
              "pools",
              FileKey.REQUIRED,
              "Pools that jobs may run in; the first is tried first. `platform/NAME` is shared with"
                  + " other tenants."),
          HOLD_AFTER,
          PREEMPTION_DELAY,
          RECLAIM,
          FileKey.DESCRIPTION);

  static final TextListKey VAULT_IMAGES =
      new TextListKey(
          "images", 128, 512, "Patterns of images that jobs may name; without it, any.");
  static final TextListKey VAULT_COMMANDS =
      new TextListKey("commands", 64, 512, "Patterns of how commands may begin; without it, any.");
  static final FlagKey REQUIRE_IMAGE =
      new FlagKey("requireImage", false, "Jobs must name an image.");
  static final FlagKey REQUIRE_DIGEST =
      new FlagKey("requireDigest", false, "Jobs must name their image by its digest.");
  static final FlagKey ENVIRONMENT_HIDDEN =
      new FlagKey(
          "environmentHidden",
          false,
          "Marks an export without the values of `environment`, as non-admins get it.");

  static final Section VAULTS =
      Section.of(
          "vaults[]",
          "Images and commands that jobs of groups may use, and environment that they get.",
          FileKey.declaration("Name of the vault."),
          FileKey.references("groups", "groups", "all groups", "Groups that the vault is for."),
          VAULT_IMAGES,
          REQUIRE_IMAGE,
          REQUIRE_DIGEST,
          VAULT_COMMANDS,
          FileKey.of(
              "environment", "mapping of texts", "", "Environment variables that the jobs get."),
          ENVIRONMENT_HIDDEN,
          FileKey.DESCRIPTION);

  /// All sections, in the order of a file.
  static final List<Section> ALL =
      List.of(
          TOP,
          GROUPS,
          POOLS,
          FAIRNESS,
          DEDICATION,
          INSTANCE,
          PROFILES,
          PolicyKeys.DEPARTMENTS,
          PolicyKeys.POLICIES,
          PolicyKeys.GRACE,
          PolicyKeys.QUEUES,
          PolicyKeys.BUDGET,
          VAULTS);

  private ConfigurationKeys() {}
}

package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.Elasticity;
import io.headgate.scheduler.core.catalog.Instance;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// Transformations of a generated history's inputs, for a second run.
final class Guises {
  private static final long FIRST_NUMBER = 7_000_000_000L;
  private static final Pattern NUMBER = Pattern.compile("7(?<!\\w7)(\\d{9})\\b");
  private static final Pattern POLICY = Pattern.compile("t/r(\\d)\\b");

  private Guises() {}

  // --- Other names.

  /// The policies' names in reverse order, the jobs' order unchanged.
  static Input renamed(Input input) {
    return switch (input) {
      case Input.CatalogChanged(var catalog) -> new Input.CatalogChanged(renamed(catalog));
      case Input.JobSubmitted(var spec) -> new Input.JobSubmitted(renamed(spec));
      case Input.JobCancelled(var job) -> new Input.JobCancelled(renamed(job));
      case Input.JobRequeued(var job) -> new Input.JobRequeued(renamed(job));
      case Input.JobWithdrawn(var job) -> new Input.JobWithdrawn(renamed(job));
      case Input.WorkerStarted(var attempt, int worker, var at) ->
          new Input.WorkerStarted(renamed(attempt), worker, at);
      case Input.AttemptCheckpointed(var attempt, var at) ->
          new Input.AttemptCheckpointed(renamed(attempt), at);
      case Input.WorkerExited(var attempt, int worker, int code) ->
          new Input.WorkerExited(renamed(attempt), worker, code);
      case Input.WorkerStopped(var attempt, int worker) ->
          new Input.WorkerStopped(renamed(attempt), worker);
      case Input.WorkerSuspended(var attempt, int worker) ->
          new Input.WorkerSuspended(renamed(attempt), worker);
      case Input.WorkerRejected(var attempt, int worker, var why) ->
          new Input.WorkerRejected(renamed(attempt), worker, why);
      case Input.WorkerLost(var attempt, int worker) ->
          new Input.WorkerLost(renamed(attempt), worker);
      case Input.WorkerUndelivered(var attempt, int worker, var why) ->
          new Input.WorkerUndelivered(renamed(attempt), worker, why);
      case Input.NodeChanged _, Input.NodeRemoved _, Input.NodeCleared _, Input.TimePassed _ ->
          input;
    };
  }

  private static JobId renamed(JobId job) {
    return new JobId(FIRST_NUMBER + job.value());
  }

  private static AttemptId renamed(AttemptId attempt) {
    return new AttemptId(renamed(attempt.job()), attempt.number());
  }

  private static JobSpec renamed(JobSpec spec) {
    return spec.with().id(renamed(spec.id())).build();
  }

  private static Job renamed(Job job) {
    return new Job(
        renamed(job.spec()),
        job.state(),
        job.sequence(),
        job.submittedAt(),
        job.waitingSince(),
        job.attempts(),
        job.lastPreemption());
  }

  /// `g0` to `g9` become `r9` to `r0`.
  private static PolicyId renamed(PolicyId policy) {
    int number = Integer.parseInt(policy.name().substring(1));
    return new PolicyId(policy.tenant(), "r" + (9 - number));
  }

  private static Policy renamed(Policy policy) {
    return policy.with().id(renamed(policy.id())).build();
  }

  private static Catalog renamed(Catalog catalog) {
    return new Catalog(
        catalog.tenant(),
        catalog.version(),
        catalog.pools().stream()
            .map(pool -> pool.with().dedicatedTo(pool.dedicatedTo().map(Guises::renamed)).build())
            .toList(),
        catalog.profiles(),
        catalog.policies().stream().map(Guises::renamed).toList(),
        catalog.queues().stream()
            .map(queue ->
                new Queue(
                    queue.id(),
                    renamed(queue.policy()),
                    queue.profile(),
                    queue.rank(),
                    queue.overReservation(),
                    queue.open()))
            .toList(),
        catalog.shares(),
        catalog.departments());
  }

  /// Takes [#renamed] back in a text.
  static String originalNames(String text) {
    String numbers =
        NUMBER.matcher(text).replaceAll(match -> String.valueOf(Long.parseLong(match.group(1))));
    return POLICY.matcher(numbers).replaceAll(Guises::originalPolicy);
  }

  private static String originalPolicy(MatchResult match) {
    return "t/g" + (9 - Integer.parseInt(match.group(1)));
  }

  // --- Other quantities.

  /// Parts of a GPU become whole ones; every device is undivided.
  static Input whole(Input input) {
    return switch (input) {
      case Input.CatalogChanged(var catalog) -> new Input.CatalogChanged(whole(catalog));
      case Input.NodeChanged(var node) -> new Input.NodeChanged(multiplied(node, 1));
      default -> input;
    };
  }

  private static Catalog whole(Catalog catalog) {
    return catalog.withProfiles(
        catalog.profiles().stream()
            .map(profile ->
                profile.gpus().isFraction()
                    ? profile
                        .with()
                        .gpus(GpuQuantity.ONE)
                        .gpuMemoryBytes(OptionalLong.empty())
                        .build()
                    : profile)
            .toList());
  }

  /// All quantities of GPUs times a factor.
  static Input scaled(Input input, int factor) {
    return switch (input) {
      case Input.CatalogChanged(var catalog) -> new Input.CatalogChanged(scaled(catalog, factor));
      case Input.NodeChanged(var node) -> new Input.NodeChanged(multiplied(node, factor));
      default -> input;
    };
  }

  private static GpuQuantity times(GpuQuantity quantity, int factor) {
    return new GpuQuantity(quantity.units() * factor);
  }

  private static Catalog scaled(Catalog catalog, int factor) {
    return new Catalog(
        catalog.tenant(),
        catalog.version(),
        catalog.pools().stream()
            .map(pool ->
                pool.with()
                    .capacity(pool.capacity().map(capacity -> times(capacity, factor)))
                    .elasticity(pool.elasticity().map(elastic -> scaled(elastic, factor)))
                    .build())
            .toList(),
        catalog.profiles().stream()
            .map(profile -> profile.with().gpus(times(profile.gpus(), factor)).build())
            .toList(),
        catalog.policies().stream()
            .map(policy ->
                policy
                    .with()
                    .reservation(times(policy.reservation(), factor))
                    .limit(times(policy.limit(), factor))
                    .perUserLimit(policy.perUserLimit().map(limit -> times(limit, factor)))
                    .build())
            .toList(),
        catalog.queues(),
        catalog.shares(),
        catalog.departments().stream()
            .map(department ->
                new Department(
                    department.id(),
                    department.parent(),
                    department.reservation().map(units -> times(units, factor)),
                    department.limit().map(units -> times(units, factor)),
                    department.weight()))
            .toList());
  }

  private static Elasticity scaled(Elasticity elastic, int factor) {
    Instance one = elastic.instance();
    return new Elasticity(
        new Instance(
            one.gpus() * factor,
            one.gpuModel(),
            one.gpuMemoryBytes(),
            one.isolation(),
            one.cpuMillis(),
            one.memoryBytes()),
        elastic.minInstances(),
        elastic.maxInstances(),
        elastic.idleTimeout());
  }

  private static Node multiplied(Node node, int factor) {
    List<Device> devices = new ArrayList<>();
    for (Device device : node.devices()) {
      for (int i = 0; i < factor; i++) {
        devices.add(
            new Device(
                devices.size(),
                device.uuid() + "-" + i,
                device.model(),
                device.memoryBytes(),
                new Geometry.Continuous(),
                device.isolation(),
                device.inService()));
      }
    }
    return new Node(
        node.id(),
        node.pool(),
        devices,
        node.cpuMillis(),
        node.memoryBytes(),
        node.status(),
        node.runsImages());
  }
}

package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.TenantBuilder.ACME;
import static io.headgate.scheduler.core.TenantBuilder.poolId;
import static io.headgate.scheduler.core.TenantBuilder.queueId;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.ArrayElement;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobArray;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.usage.NodeUsage;
import io.headgate.scheduler.core.usage.PoolUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Drives a core as a shell and its agents would, with names for jobs, in a few domain verbs.
final class Driver {
  static final long GIB = 1L << 30;

  SchedulerCore core = SchedulerCore.empty();
  Instant now = Instant.parse("2026-01-01T10:00:00Z");

  /// Everything that was decided since the last [#forget].
  final List<Effect> effects = new ArrayList<>();

  final List<Decision.Refusal> refusals = new ArrayList<>();
  Optional<Instant> wakeAt = Optional.empty();
  private final Map<String, JobId> ids = new LinkedHashMap<>();
  private final Map<JobId, Job> records = new LinkedHashMap<>();
  private long nextId = 1;

  Driver(TenantBuilder tenant) {
    provision(tenant);
  }

  Driver provision(TenantBuilder tenant) {
    return decide(new Input.CatalogChanged(tenant.build()));
  }

  Driver decide(Input... inputs) {
    return decide(List.of(inputs));
  }

  Driver decide(List<? extends Input> inputs) {
    Decision decision = core.decide(inputs, now);
    for (Effect effect : decision.effects()) {
      if (effect instanceof Effect.JobChanged changed) {
        records.put(changed.job().id(), changed.job());
      }
    }
    effects.addAll(decision.effects());
    refusals.addAll(decision.refusals());
    wakeAt = decision.wakeAt();
    return this;
  }

  Driver forget() {
    effects.clear();
    refusals.clear();
    return this;
  }

  Driver after(Duration duration) {
    now = now.plus(duration);
    return this;
  }

  Driver pass() {
    return decide(new Input.TimePassed());
  }

  static Node node(String name, String pool, int gpus) {
    return node(name, pool, gpus, 1_000_000, NodeStatus.READY);
  }

  static Node node(String name, String pool, int gpus, long cpuMillis, NodeStatus status) {
    return node(name, pool, gpus, cpuMillis, status, new Geometry.Continuous());
  }

  /// A machine of devices that are divided in hardware.
  static Node sliced(String name, String pool, int gpus, Geometry.Sliced geometry) {
    return node(name, pool, gpus, 1_000_000, NodeStatus.READY, geometry);
  }

  private static Node node(
      String name, String pool, int gpus, long cpuMillis, NodeStatus status, Geometry geometry) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < gpus; i++) {
      devices.add(
          new Device(
              i,
              name + "-gpu-" + i,
              "H100",
              80 * GIB,
              geometry,
              geometry instanceof Geometry.Sliced
                  ? Isolation.HARDWARE
                  : Isolation.DRIVER_CONTAINER));
    }
    return new Node(new NodeId(ACME, name), poolId(pool), devices, cpuMillis, 1024 * GIB, status);
  }

  Driver join(Node... nodes) {
    return decide(Arrays.stream(nodes).map(Input.NodeChanged::new).toList());
  }

  JobSpec spec(String name, String queue) {
    return spec(name, queue, "alice", 0, Optional.empty());
  }

  JobSpec spec(
      String name, String queue, String user, int priority, Optional<Boolean> preemptible) {
    JobId id = ids.computeIfAbsent(name, key -> new JobId(nextId++));
    return new JobSpec(
        id, queueId(queue), new UserId(user), priority, preemptible, Optional.empty());
  }

  /// A job whose user says how long it runs at most.
  JobSpec timed(String name, String queue, Duration maxRuntime) {
    return spec(name, queue).with().maxRuntime(Optional.of(maxRuntime)).build();
  }

  /// A job that is kept suspended for an hour at most when it is preempted.
  JobSpec keeping(String name, String queue) {
    return spec(name, queue).with().suspend(Optional.of(Duration.ofHours(1))).build();
  }

  /// A job that may live on after its run time, while it is stopped.
  JobSpec timed(String name, String queue, Duration maxRuntime, Duration stopTime) {
    JobSpec spec = timed(name, queue, maxRuntime);
    return spec.with().stopTime(stopTime).build();
  }

  JobSpec prior(String name, String queue, int priority) {
    return spec(name, queue, "alice", priority, Optional.empty());
  }

  /// Submits the jobs in one batch.
  Driver submit(String queue, String... names) {
    return decide(
        Arrays.stream(names).map(name -> new Input.JobSubmitted(spec(name, queue))).toList());
  }

  Driver submit(JobSpec... specs) {
    return decide(Arrays.stream(specs).map(Input.JobSubmitted::new).toList());
  }

  /// Submits an array of equal jobs; its elements are `NAME.1` and so on.
  ///
  /// @param maxParallel 0: all
  Driver submitArray(String name, String queue, int size, int maxParallel) {
    for (int number = 1; number <= size; number++) {
      ids.put(name + "." + number, new JobId(nextId++));
    }
    return decide(
        new Input.JobSubmitted(
            spec(name, queue), Gate.OPEN, Optional.of(JobArray.of(size, maxParallel))));
  }

  /// How the array stands.
  JobArray array(String name) {
    return core.job(id(name))
        .flatMap(Job::array)
        .orElseGet(() -> record(name).array().orElseThrow());
  }

  /// The shell's record of an element that has not started.
  Job element(String array, int number) {
    Job known = core.job(id(array)).orElseThrow();
    return new Job(
        known.spec().with().id(id(array + "." + number)).build(),
        known.state(),
        0,
        now,
        now,
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Gate.OPEN,
        Optional.of(new ArrayElement(known.id(), number)));
  }

  Driver cancel(String name) {
    return decide(new Input.JobCancelled(record(name)));
  }

  Driver withdraw(String name) {
    return decide(new Input.JobWithdrawn(id(name)));
  }

  Driver requeue(String name) {
    return decide(new Input.JobRequeued(record(name)));
  }

  /// The agents report that everything assigned runs.
  Driver run() {
    List<Input> inputs = new ArrayList<>();
    for (JobId id : ids.values()) {
      core.attempt(id)
          .filter(attempt -> attempt.startedAt().isEmpty())
          .ifPresent(attempt -> {
            for (int worker = 0; worker < attempt.workers().size(); worker++) {
              inputs.add(new Input.WorkerStarted(attempt.id(), worker, now));
            }
          });
    }
    return inputs.isEmpty() ? this : decide(inputs);
  }

  /// The agents report that everything that was asked to stop has stopped.
  Driver stopAll() {
    List<Input> inputs = new ArrayList<>();
    for (JobId id : ids.values()) {
      core.attempt(id)
          .filter(attempt -> attempt.stop().isPresent())
          .ifPresent(attempt -> {
            for (int worker = 0; worker < attempt.workers().size(); worker++) {
              inputs.add(new Input.WorkerStopped(attempt.id(), worker));
            }
          });
    }
    return inputs.isEmpty() ? this : decide(inputs);
  }

  /// The agent reports that it keeps the job.
  Driver suspended(String name) {
    return decide(new Input.WorkerSuspended(attemptId(name), 0));
  }

  /// Everything that was decided happens, until nothing more is decided.
  Driver settle() {
    for (int i = 0; i < 100; i++) {
      int before = effects.size();
      run().stopAll();
      if (effects.size() == before) {
        return this;
      }
    }
    throw new AssertionError("does not come to rest");
  }

  Driver exit(String name, int code) {
    Attempt attempt = attempt(name);
    List<Input> inputs = new ArrayList<>();
    for (int worker = 0; worker < attempt.workers().size(); worker++) {
      inputs.add(new Input.WorkerExited(attempt.id(), worker, code));
    }
    return decide(inputs);
  }

  JobId id(String name) {
    JobId id = ids.get(name);
    if (id == null) {
      throw new IllegalArgumentException("no job " + name);
    }
    return id;
  }

  String name(JobId id) {
    return ids.entrySet().stream()
        .filter(entry -> entry.getValue().equals(id))
        .findFirst()
        .orElseThrow()
        .getKey();
  }

  /// The job as it was last told; also when the core has forgotten it.
  Job record(String name) {
    Job job = records.get(id(name));
    if (job == null) {
      throw new IllegalArgumentException("job " + name + " was never accepted");
    }
    return job;
  }

  JobState state(String name) {
    return record(name).state();
  }

  Attempt attempt(String name) {
    return core.attempt(id(name)).orElseThrow();
  }

  AttemptId attemptId(String name) {
    return attempt(name).id();
  }

  Reason reason(String name) {
    return core.reason(id(name)).orElseThrow();
  }

  Denial denial() {
    return refusals.getLast().denial();
  }

  /// Names of the jobs in the state, in order of submission.
  List<String> in(JobState state) {
    return ids.entrySet().stream()
        .filter(entry -> records.containsKey(entry.getValue()))
        .filter(entry -> records.get(entry.getValue()).state() == state)
        .map(Map.Entry::getKey)
        .toList();
  }

  /// `a-0:0,1,2`, workers separated by blanks; a part of a device as `0(1/2)`, a slice of it as
  /// `0(3g@4)`.
  String place(String name) {
    StringBuilder text = new StringBuilder();
    for (WorkerPlace worker : attempt(name).assignment().workers()) {
      text.append(text.isEmpty() ? "" : " ").append(worker.node().name()).append(':');
      String separator = "";
      for (Slice slice : worker.slices()) {
        text.append(separator).append(slice.device());
        if (slice.placement().isPresent()) {
          text.append('(').append(slice.placement().get().label()).append(')');
        } else if (slice.quantity().isFraction()) {
          text.append('(').append(slice.quantity()).append(')');
        }
        separator = ",";
      }
    }
    return text.toString();
  }

  String pool(String name) {
    return attempt(name).assignment().pool().name();
  }

  String used(String policy) {
    return used(TenantBuilder.policyId(policy));
  }

  String used(PolicyId policy) {
    return core.policies().stream()
        .filter(usage -> usage.policy().equals(policy))
        .findFirst()
        .orElseThrow()
        .used()
        .toString();
  }

  PoolUsage usage(PoolId pool) {
    return core.pools().stream()
        .filter(usage -> usage.pool().equals(pool))
        .findFirst()
        .orElseThrow();
  }

  Optional<NodeUsage> usage(NodeId node) {
    return core.nodes().stream().filter(usage -> usage.node().id().equals(node)).findFirst();
  }

  <E extends Effect> List<E> effects(Class<E> kind) {
    return effects.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /// Names of the jobs that were asked to stop, in order.
  List<String> stopped() {
    return effects(Effect.StopAttempt.class).stream()
        .map(effect -> name(effect.attempt().job()))
        .toList();
  }
}

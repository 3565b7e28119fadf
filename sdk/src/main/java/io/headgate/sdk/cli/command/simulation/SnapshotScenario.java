package io.headgate.sdk.cli.command.simulation;

import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.Pool;
import io.headgate.sdk.config.Profile;
import io.headgate.sdk.config.Profile.Isolation;
import io.headgate.sdk.config.ScenarioFile;
import io.headgate.sdk.config.ScenarioFile.Geometry;
import io.headgate.sdk.config.Visibility;
import io.headgate.sdk.model.Attempt;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Node;
import io.headgate.sdk.model.Placement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Builds a scenario from a live installation: its configuration, nodes, and running and waiting
/// jobs. Facts that a scenario cannot express are collected as remarks.
final class SnapshotScenario {
  private final Instant now;
  private final List<String> remarks = new ArrayList<>();

  SnapshotScenario(Instant now) {
    this.now = now;
  }

  /// Facts that the scenario does not contain, as sentences.
  List<String> remarks() {
    return remarks;
  }

  /// A tenant does not see the nodes of shared pools, so the scenario has these pools without
  /// nodes, under names that a scenario allows.
  private Configuration withoutShared(Configuration live) {
    Map<String, Pool> shared = new TreeMap<>();
    List<Profile> profiles = new ArrayList<>();
    for (Profile profile : live.profiles()) {
      List<String> pools = new ArrayList<>();
      for (String pool : profile.pools()) {
        String name = pool.replace('/', '-');
        pools.add(name);
        if (Configuration.isShared(pool)) {
          shared.put(pool, Pool.shared(name));
        }
      }
      profiles.add(profile.withPools(pools));
    }
    List<Pool> pools = new ArrayList<>(live.pools());
    shared.forEach((pool, standIn) -> {
      pools.add(standIn);
      remarks.add(
          "pool %s is shared with other tenants: the scenario has it as %s, without nodes"
              .formatted(pool, standIn.name()));
    });
    return new Configuration(
        live.tenant(),
        live.groups(),
        pools,
        profiles,
        live.departments(),
        live.policies(),
        live.vaults(),
        live.tenants(),
        live.visibility(),
        List.of(),
        live.budget());
  }

  /// The scenario has no groups, because every submitter in it had the right to submit.
  ///
  /// @param jobs jobs that wait or have an attempt
  ScenarioFile of(Configuration live, List<Node> nodes, List<Job> jobs) {
    Configuration configuration = withoutShared(live);
    Set<String> pools = new HashSet<>();
    configuration.pools().forEach(pool -> pools.add(pool.name()));
    Set<String> queues = new HashSet<>();
    configuration
        .policies()
        .forEach(policy -> policy.queues().forEach(queue -> queues.add(queue.name())));
    List<Job> known = new ArrayList<>();
    for (Job job : jobs) {
      if (queues.contains(job.spec().queue())) {
        known.add(job);
      } else {
        remarks.add(
            "job %s is left out: its queue %s is gone".formatted(job.id(), job.spec().queue()));
      }
    }
    List<ScenarioFile.Running> running = running(known);
    return new ScenarioFile(
        new Configuration(
            configuration.tenant(),
            List.of(),
            configuration.pools(),
            configuration.profiles(),
            configuration.departments(),
            configuration.policies(),
            List.of(),
            List.of(),
            Visibility.OWN,
            List.of(),
            configuration.budget()),
        false,
        nodes(nodes, pools, used(running)),
        running,
        waiting(known),
        List.of(),
        ScenarioFile.Options.DEFAULT);
  }

  private static Set<String> used(List<ScenarioFile.Running> running) {
    Set<String> used = new HashSet<>();
    running.forEach(job -> job.workers().forEach(worker -> used.add(worker.node())));
    return used;
  }

  private List<ScenarioFile.DeclaredNode> nodes(
      List<Node> nodes, Set<String> pools, Set<String> used) {
    List<ScenarioFile.DeclaredNode> result = new ArrayList<>();
    for (Node node : nodes) {
      if (!pools.contains(node.pool())) {
        remarks.add("node %s is left out: its pool %s is gone".formatted(node.id(), node.pool()));
      } else if (node.draining() && !used.contains(node.id())) {
        remarks.add("node %s is left out: it is draining".formatted(node.id()));
      } else {
        if (node.draining()) {
          remarks.add("node %s is draining; in the scenario it takes work".formatted(node.id()));
        }
        result.add(node(node));
      }
    }
    return result;
  }

  private ScenarioFile.DeclaredNode node(Node node) {
    List<Node.Device> devices = node.devices();
    Node.@Nullable Device first = devices.isEmpty() ? null : devices.getFirst();
    int gpus = devices.stream().mapToInt(device -> device.index() + 1).max().orElse(0);
    boolean alike =
        first == null
            || devices.stream()
                .allMatch(device ->
                    device.gpuModel().equals(first.gpuModel())
                        && device.memoryBytes() == first.memoryBytes()
                        && device.geometry() == first.geometry());
    if (!alike || gpus != devices.size()) {
      remarks.add(
          "node %s: its devices differ; in the scenario all are like the first"
              .formatted(node.id()));
    }
    // A device without isolation is written with the weakest level that scenarios have.
    return new ScenarioFile.DeclaredNode(
        node.id(),
        1,
        node.pool(),
        gpus,
        first == null || first.gpuModel().isEmpty() ? null : first.gpuModel(),
        first == null ? null : first.memoryBytes(),
        node.cpuMillis(),
        node.memoryBytes(),
        first == null ? Geometry.CONTINUOUS : geometry(first.geometry()),
        first == null ? null : Objects.requireNonNullElse(first.isolation(), Isolation.REACTIVE));
  }

  private static Geometry geometry(Node.Geometry geometry) {
    return switch (geometry) {
      case MIG -> Geometry.MIG;
      case AMD_PARTITION -> Geometry.AMD;
      case CONTINUOUS, UNKNOWN -> Geometry.CONTINUOUS;
    };
  }

  /// Longest first.
  private List<ScenarioFile.Running> running(List<Job> jobs) {
    List<ScenarioFile.Running> running = new ArrayList<>();
    for (Job job : jobs) {
      Attempt attempt = job.currentAttempt().orElse(null);
      if (job.arrayProgress() != null
          || waits(job)
          || attempt == null
          || attempt.placements().isEmpty()) {
        continue;
      }
      if (job.state() == JobState.STOPPING) {
        remarks.add("job %s is stopping; in the scenario it runs".formatted(job.id()));
      }
      Instant since = attempt.startTime() != null ? attempt.startTime() : attempt.assignTime();
      running.add(
          new ScenarioFile.Running(
              job(job),
              Math.max(1, job.attempt()),
              attempt.placements().stream().map(SnapshotScenario::worker).toList(),
              since(since)));
    }
    running.sort(
        Comparator.comparing(ScenarioFile.Running::startedAgo)
            .reversed()
            .thenComparing(each -> each.job().name()));
    return running;
  }

  private static ScenarioFile.Worker worker(Placement placement) {
    return new ScenarioFile.Worker(
        placement.node(),
        placement.slices().stream()
            .map(slice ->
                new ScenarioFile.Share(slice.deviceIndex(), slice.gpus(), place(slice.place())))
            .sorted(Comparator.comparingInt(ScenarioFile.Share::index))
            .toList());
  }

  /// Drivers name slices by their memory (`1g.20gb`), scenarios by their size (`1g.2x`).
  private static ScenarioFile.@Nullable Place place(Placement.@Nullable Place place) {
    if (place == null) {
      return null;
    }
    int dot = place.profile().indexOf('.');
    String size = dot < 0 ? place.profile() : place.profile().substring(0, dot);
    boolean doubled = size.equals("1g") && place.size() == 2;
    return new ScenarioFile.Place(doubled ? "1g.2x" : size, place.start());
  }

  /// By queue, in the order of each queue.
  private List<ScenarioFile.Waiting> waiting(List<Job> jobs) {
    return jobs.stream()
        .filter(SnapshotScenario::waits)
        .sorted(
            Comparator.comparing((Job job) -> job.spec().queue())
                .thenComparingInt(Job::position)
                .thenComparing(Job::id))
        .map(job -> new ScenarioFile.Waiting(job(job), count(job), since(job.createTime())))
        .toList();
  }

  /// An array counts as its elements that have not started.
  private int count(Job job) {
    Job.ArrayProgress progress = job.arrayProgress();
    JobSpec.Array array = job.spec().array();
    if (progress == null) {
      return 1;
    }
    if (array != null && array.maxParallel() > 0 && array.maxParallel() < array.size()) {
      remarks.add(
          "array %s: in the scenario more than %d of its elements may run at a time"
              .formatted(job.id(), array.maxParallel()));
    }
    return progress.notStarted();
  }

  /// A suspended job counts as waiting for GPUs; a scenario does not model its kept memory.
  private static boolean waits(Job job) {
    Job.ArrayProgress progress = job.arrayProgress();
    if (progress != null) {
      return progress.notStarted() > 0;
    }
    return job.state() == JobState.WAITING || job.state() == JobState.SUSPENDED;
  }

  /// Names of scenarios have no dots, and copies of `sweep-1` are `sweep-1-1` there.
  private static ScenarioFile.DeclaredJob job(Job job) {
    return new ScenarioFile.DeclaredJob(
        job.id().replace(".", "-e"),
        job.spec().queue(),
        job.user(),
        job.spec().priority(),
        job.spec().preemptible(),
        job.spec().movable(),
        job.spec().maxRuntime(),
        null,
        null);
  }

  /// In whole seconds.
  private Duration since(@Nullable Instant time) {
    return time == null || time.isAfter(now)
        ? Duration.ZERO
        : Duration.ofSeconds(Duration.between(time, now).toSeconds());
  }
}

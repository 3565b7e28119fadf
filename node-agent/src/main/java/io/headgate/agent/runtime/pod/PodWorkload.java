package io.headgate.agent.runtime.pod;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.Container.PullPolicy;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.GangEnvironment;
import io.headgate.agent.core.JobEnvironment;
import io.headgate.agent.core.Rendezvous;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePaths;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.kubernetes.PodRequest;
import io.headgate.agent.kubernetes.PodState;
import io.headgate.agent.process.OrphanProcesses;
import io.headgate.agent.process.OwnedTree;
import io.headgate.agent.process.SupervisorLauncher.Result;
import io.headgate.agent.process.SupervisorSpec;
import io.headgate.agent.process.Trees;
import io.headgate.agent.process.Walls;
import io.headgate.agent.runtime.attempt.GangNetwork;
import io.headgate.agent.runtime.attempt.JobLimits;
import io.headgate.agent.runtime.attempt.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An attempt as a pod, which is made once: its name follows from the attempt, and its identity is
/// recorded. Its first process is the supervisor, in a directory that it has in common with the
/// agent, so that status, logs, stops and exit codes are those of any other attempt.
final class PodWorkload implements Workload {
  /// For a supervisor that has nothing to stop any more, or is to end at once.
  static final Duration END_PATIENCE = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(PodWorkload.class);

  /// Beyond callback and grace, so that the kubelet kills only what its supervisor cannot.
  private static final Duration KUBELET_MARGIN = Duration.ofSeconds(5);

  private static final Duration OVER_PATIENCE = Duration.ofSeconds(5);
  private static final int LOOKS = 20;

  /// The divisor of a share that gives the part of it that is set aside.
  private static final int SET_ASIDE = 10;

  private final PodRuntime.Parts parts;
  private final Assignment assignment;
  private final AttemptPod pod;
  private OptionalLong clearedNanos = OptionalLong.empty();

  PodWorkload(PodRuntime.Parts parts, Assignment assignment) {
    this.parts = parts;
    this.assignment = assignment;
    this.pod = AttemptPod.of(parts, key());
  }

  @Override
  public void fetch(StartConditions conditions) throws IOException {
    // Its kubelet fetches the image.
    if (assignment.container().isEmpty() && parts.settings().image().isEmpty()) {
      throw new IOException("the job names no image, and kubernetes.image sets none for such jobs");
    }
  }

  @Override
  public void prepare(
      List<SlicePlan> plans,
      long contactBootMs,
      String traceparent,
      Optional<Rendezvous> rendezvous)
      throws IOException {
    if (parts.ledger().hasInside(key())
        && SupervisorSpec.isWritten(parts.ledger().supervised(key()))) {
      return; // An earlier agent has, and the job may have begun to change what is its own there.
    }
    SlicePaths paths = parts.driver().paths(plans);
    if (!paths.shown().isEmpty() || paths.sharedMemory().isPresent()) {
      throw new GpuDriverException("pods cannot use slices made by MPS (gpu.mps)");
    }
    Path inside = parts.ledger().makeInside(key());
    Path work = makeWork(inside);
    int user = user();
    Path checkpoints = parts.checkpoints().make(assignment);
    boolean isEmpty =
        parts
            .checkpoints()
            .use(
                assignment,
                made -> {
                  OwnedTree.give(parts.program(), user, made);
                  return Trees.isEmpty(made);
                });
    String hostfile = GangNetwork.writeHostfile(work, rendezvous);
    JobEnvironment.Places places =
        new JobEnvironment.Places(
            work.toString(),
            "/tmp",
            checkpoints.toString(),
            !isEmpty,
            // The interface of a pod has another name than the machine's.
            rendezvous
                .map(known ->
                    GangEnvironment.conventions(assignment, known, hostfile, Optional.empty()))
                .orElseGet(TreeMap::new));
    Assignment.SelfStop selfStop = assignment.selfStop();
    new SupervisorSpec(
            assignment.command(),
            environment(
                places,
                plans,
                traceparent,
                rendezvous.map(known -> GangEnvironment.own(known, hostfile)).orElse(Map.of())),
            assignment.abortCallback().command(),
            work.resolve(JobEnvironment.ON_ABORT),
            runsIn(work),
            JobEnvironment.beginsAnew(assignment, places),
            Optional.empty(),
            parts.ledger().bootId(),
            Walls.ofContainer(parts.limits().files(), granted().processes()),
            new SupervisorSpec.Limits(
                assignment.timeLimit(),
                selfStop.after(),
                contactBootMs,
                assignment.abortCallback().timeout(),
                selfStop.callback(),
                selfStop.grace()),
            parts.logs())
        .writeReadableTo(inside);
  }

  private SortedMap<String, String> environment(
      JobEnvironment.Places places,
      List<SlicePlan> plans,
      String traceparent,
      Map<String, String> gang) {
    SortedMap<String, String> environment =
        JobEnvironment.of(assignment, places, gpus(plans), traceparent);
    environment.putAll(gang);
    environment.putAll(granted().variables());
    return environment;
  }

  private Path makeWork(Path inside) throws IOException {
    Path work = Files.createDirectories(inside.resolve("work"));
    for (String owner : List.of("unix:uid", "unix:gid")) {
      Files.setAttribute(work, owner, user(), LinkOption.NOFOLLOW_LINKS);
    }
    return work;
  }

  /// Where an image says, which is where its first process starts, unless the job says something.
  private Path runsIn(Path work) {
    Path unsaid = assignment.container().isPresent() ? Path.of(".") : work;
    return assignment.workingDirectory().map(Path::of).orElse(unsaid);
  }

  private JobEnvironment.Gpus gpus(List<SlicePlan> plans) {
    return new JobEnvironment.Gpus(
        new TreeMap<>(parts.driver().environment(plans)),
        plans.stream().mapToLong(SlicePlan::memoryLimitBytes).min().orElse(0),
        parts.driver().isSimulated() && !plans.isEmpty());
  }

  @Override
  public Result launch(StartConditions conditions) {
    return new PodStart(pod, this::request, conditions).await();
  }

  /// The kubelet ends the pod if the supervisor does not, whatever happens to this agent. The
  /// supervisor first notes the reason, because it sees the kubelet's signal as a shutdown.
  @Override
  public void stopOrdered(StartConditions conditions) {
    Duration grace =
        assignment.abortCallback().timeout().plus(assignment.grace()).plus(KUBELET_MARGIN);
    Thread.ofVirtual()
        .name("stop " + key())
        .start(() -> {
          for (int look = 0; look < LOOKS && !pod.isStopping(); look++) {
            conditions.pause(PodStart.GLANCE);
          }
          try {
            pod.delete(grace);
          } catch (IOException | RuntimeException e) {
            LOG.info(
                "the pod of {} could not be deleted yet; it is deleted once it has ended: {}",
                key(),
                e.getMessage());
          }
        });
  }

  private PodRequest request() throws IOException {
    AttemptKey key = key();
    Assignment.SelfStop selfStop = assignment.selfStop();
    return new PodRequest(
        pod.name(),
        key.directoryName(),
        image(),
        parts.program(),
        parts.ledger().supervised(key),
        List.of(checkpoints()),
        user(),
        limits(),
        new TreeMap<>(Map.of(AttemptPod.MARK, pod.name())),
        device(),
        selfStop.callback().plus(selfStop.grace()).plus(KUBELET_MARGIN));
  }

  /// The limits of the pod. A job's request is set aside for its pod, and a tenth of a share is. A
  /// kubelet starts no pod that does not fit beside all that is set aside, and shares leave no room
  /// for the cluster's own pods. The tenth keeps the pods' weights in proportion to their shares.
  private PodRequest.Limits limits() {
    JobLimits.Granted granted = granted();
    long cpuAsked = asked(assignment.cpuMillis(), parts.limits().cpuMillis());
    long memoryAsked = asked(assignment.memoryBytes(), parts.limits().memoryBytes());
    return new PodRequest.Limits(
        new PodRequest.Reserved(
            cpuAsked > 0 ? cpuAsked : granted.cpuMillis() / SET_ASIDE,
            memoryAsked > 0 ? memoryAsked : granted.memoryBytes() / SET_ASIDE),
        granted.cpuMillis(),
        granted.memoryBytes(),
        // The kubelet's file system need not be the agent's, so no share of it is known.
        parts.limits().diskBytes());
  }

  private static long asked(long byJob, long byConfiguration) {
    return byJob > 0 ? byJob : byConfiguration;
  }

  private JobLimits.Granted granted() {
    return parts.limits().of(assignment.units(), assignment.cpuMillis(), assignment.memoryBytes());
  }

  private PodRequest.Image image() {
    return assignment
        .container()
        .map(container -> new PodRequest.Image(container.reference().toString(), container.pull()))
        .orElseGet(() ->
            new PodRequest.Image(
                parts.settings().image().orElseThrow(), PullPolicy.IF_NOT_PRESENT));
  }

  private Optional<String> device() throws IOException {
    List<SlicePlan> plans = parts.ledger().slices(key());
    if (plans.isEmpty() || parts.driver().isSimulated()) {
      return Optional.empty();
    }
    return Optional.of(
        parts
            .devices()
            .tell(
                key(),
                new TreeMap<>(parts.driver().environment(plans)),
                parts.driver().deviceNodes(plans),
                SlicePaths.NONE));
  }

  @Override
  public OptionalInt supervisorUser() throws IOException {
    return OptionalInt.of(user());
  }

  @Override
  public Remainder clear(boolean killRemains) throws IOException {
    if (!parts.ledger().hasInside(key())) {
      return Remainder.NOTHING; // It was given up before there could be a pod.
    }
    Optional<PodState> state = pod.find();
    if (state.isPresent()) {
      if (state.get().isSilent() && isAboutToBeOver()) {
        return Remainder.LEAVING;
      }
      if (!state.get().isLeaving()) {
        pod.delete(END_PATIENCE);
      }
      if (!state.get().over()) {
        return Remainder.LEAVING;
      }
      // An ended pod never starts again. Some kubelets take a minute to remove it.
    }
    // The API server may have been made to forget what lives.
    return new OrphanProcesses(Optional.empty(), entries -> entries.containsAll(pod.marks())).kill()
        ? Remainder.KILLED
        : Remainder.NOTHING;
  }

  /// It ends with its supervisor, which its kubelet says soon. One that is deleted before that may
  /// never be said to be over.
  private boolean isAboutToBeOver() {
    long now = parts.time().monotonicNanos();
    if (clearedNanos.isEmpty()) {
      clearedNanos = OptionalLong.of(now);
    }
    return pod.hasStarted() && now - clearedNanos.getAsLong() < OVER_PATIENCE.toNanos();
  }

  @Override
  public void cleanUp() throws IOException {
    parts.devices().remove(key());
  }

  @Override
  public Optional<EndCause> endCause(StartConditions conditions, Duration patience) {
    try {
      Optional<PodState> state = pod.find();
      // Its kubelet takes a moment to say how it ended.
      long looks = patience.dividedBy(PodStart.LOOK);
      for (int look = 0; look < looks && state.filter(PodState::isSilent).isPresent(); look++) {
        conditions.pause(PodStart.LOOK);
        state = pod.find();
      }
      return Optional.of(
          state
              .map(PodWorkload::endCause)
              .orElseGet(() -> new EndCause(EndReason.LOST, "its pod was deleted")));
    } catch (IOException e) {
      return Optional.of(
          new EndCause(
              EndReason.LOST, "its pod ended, and it is not known why: " + e.getMessage()));
    }
  }

  private static EndCause endCause(PodState pod) {
    return pod.isOutOfMemory()
        ? new EndCause(EndReason.LIMIT_EXCEEDED, "it used more memory than it may (OOMKilled)")
        : new EndCause(EndReason.LOST, pod.explanation());
  }

  private Path checkpoints() throws IOException {
    return parts
        .checkpoints()
        .directory(assignment)
        .orElseThrow(() -> new IOException("its storage is gone"));
  }

  private int user() throws IOException {
    return parts
        .ledger()
        .user(key())
        .orElseThrow(
            () -> new IOException("no user is free for the job: walls.user-count is too small"));
  }

  private AttemptKey key() {
    return assignment.key();
  }
}

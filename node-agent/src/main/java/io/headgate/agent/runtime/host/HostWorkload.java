package io.headgate.agent.runtime.host;

import io.headgate.agent.container.Containers;
import io.headgate.agent.container.ImageStore;
import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.core.GangEnvironment;
import io.headgate.agent.core.JobEnvironment;
import io.headgate.agent.core.Rendezvous;
import io.headgate.agent.driver.SlicePaths;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.process.OrphanProcesses;
import io.headgate.agent.process.SupervisorLauncher;
import io.headgate.agent.process.SupervisorSpec;
import io.headgate.agent.process.Trees;
import io.headgate.agent.process.Walls;
import io.headgate.agent.runtime.attempt.GangNetwork;
import io.headgate.agent.runtime.attempt.JobLimits;
import io.headgate.agent.runtime.attempt.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An attempt as processes of this machine, which find its files or those of an image. Its
/// directories and files are made before its start, and cleaned up after its end.
final class HostWorkload implements Workload {
  private static final Logger LOG = LoggerFactory.getLogger(HostWorkload.class);
  private static final String WORK = "work";
  private static final String TEMPORARY = "tmp";
  private static final String VAR_TEMPORARY = "var-tmp";

  private final HostRuntime machine;
  private final Assignment assignment;
  private final Path directory;
  private Optional<ImageStore.Image> image = Optional.empty();

  HostWorkload(HostRuntime machine, Assignment assignment) {
    this.machine = machine;
    this.assignment = assignment;
    this.directory = machine.ledger().directory(assignment.key());
  }

  @Override
  public void fetch(StartConditions conditions) throws IOException, InterruptedException {
    if (assignment.container().isEmpty()) {
      return;
    }
    Containers containers = machine.containers().demand();
    try {
      image =
          Optional.of(
              containers.open(
                  assignment.key(), assignment.container().get(), conditions::isAbandoned));
    } catch (IOException e) {
      // The next job does not come here if it is the engine that is gone.
      var _ = machine.containers().look();
      throw e;
    }
  }

  @Override
  public void prepare(
      List<SlicePlan> plans,
      long contactBootMs,
      String traceparent,
      Optional<Rendezvous> rendezvous)
      throws IOException {
    AttemptKey key = assignment.key();
    JobLimits.Granted limits = machine.walls().limits(assignment);
    OptionalInt user = user();
    JobWalls.Directories directories = makeDirectories(user);
    long diskBytes = machine.disk().limit(assignment, user, limited(directories));
    String hostfile = GangNetwork.writeHostfile(directories.work(), rendezvous);
    JobEnvironment.Places places = places(directories, rendezvous, hostfile);
    SortedMap<String, String> devices = new TreeMap<>(machine.driver().environment(plans));
    List<DeviceNode> nodes =
        machine.walls().areNamespaces() ? machine.driver().deviceNodes(plans) : List.of();
    SlicePaths slicePaths = machine.driver().paths(plans);
    if (image.isPresent() && !plans.isEmpty()) {
      var _ = containers().devices().tell(key, devices, nodes, slicePaths);
    }
    Walls walls =
        machine
            .walls()
            .raise(
                new JobWalls.Request(
                    key.directoryName(),
                    user,
                    image.map(files -> new Walls.Root(files.root(), lent())),
                    nodes,
                    slicePaths,
                    limits),
                directories);
    JobEnvironment.Gpus gpus =
        new JobEnvironment.Gpus(
            devices,
            plans.stream().mapToLong(SlicePlan::memoryLimitBytes).min().orElse(0),
            machine.driver().isSimulated() && !plans.isEmpty());
    Assignment.SelfStop selfStop = assignment.selfStop();
    new SupervisorSpec(
            assignment.command(),
            environment(
                places,
                gpus,
                traceparent,
                limits,
                diskBytes,
                rendezvous.map(known -> GangEnvironment.own(known, hostfile)).orElse(Map.of())),
            assignment.abortCallback().command(),
            directories.work().resolve(JobEnvironment.ON_ABORT),
            workingDirectory(directories),
            JobEnvironment.beginsAnew(assignment, places),
            machine.cgroups().make(key.directoryName()),
            machine.ledger().bootId(),
            walls,
            new SupervisorSpec.Limits(
                assignment.timeLimit(),
                selfStop.after(),
                contactBootMs,
                assignment.abortCallback().timeout(),
                selfStop.callback(),
                selfStop.grace()),
            machine.logs())
        .writeTo(directory);
  }

  private SortedMap<String, String> environment(
      JobEnvironment.Places places,
      JobEnvironment.Gpus gpus,
      String traceparent,
      JobLimits.Granted limits,
      long diskBytes,
      Map<String, String> gang) {
    SortedMap<String, String> environment =
        JobEnvironment.of(assignment, places, gpus, traceparent);
    environment.putAll(gang);
    environment.putAll(limits.variables());
    if (diskBytes > 0) {
      environment.put("HEADGATE_DISK_LIMIT_BYTES", Long.toString(diskBytes));
    }
    return environment;
  }

  /// The directories whose space counts as the job's.
  private static List<Path> limited(JobWalls.Directories directories) {
    return List.of(
        directories.work(),
        directories.temporary(),
        directories.varTemporary(),
        directories.checkpoints());
  }

  private Path workingDirectory(JobWalls.Directories directories) {
    return assignment
        .workingDirectory()
        .or(() -> image.flatMap(ImageStore.Image::workingDirectory))
        .map(Path::of)
        .orElse(directories.work());
  }

  private JobEnvironment.Places places(
      JobWalls.Directories directories, Optional<Rendezvous> rendezvous, String hostfile)
      throws IOException {
    SortedMap<String, String> inherited =
        JobEnvironment.imageVariables(
            image.map(ImageStore.Image::environment).orElseGet(TreeMap::new));
    rendezvous.ifPresent(known ->
        inherited.putAll(
            GangEnvironment.conventions(
                assignment,
                known,
                hostfile,
                GangNetwork.networkInterface(known.hosts().get(assignment.key().worker())))));
    return new JobEnvironment.Places(
        directories.work().toString(),
        machine.walls().areNamespaces() ? "/tmp" : directories.temporary().toString(),
        directories.checkpoints().toString(),
        !machine.checkpoints().use(assignment, Trees::isEmpty),
        inherited);
  }

  @Override
  public SupervisorLauncher.Result launch(StartConditions conditions)
      throws IOException, InterruptedException {
    return machine.launcher().launch(directory);
  }

  @Override
  public Optional<Path> freezer() {
    return machine
        .cgroups()
        .of(assignment.key().directoryName())
        .filter(cgroup -> Files.exists(cgroup.resolve("cgroup.freeze")));
  }

  @Override
  public Remainder clear(boolean killRemains) throws IOException {
    Optional<Path> cgroup = machine.cgroups().of(assignment.key().directoryName());
    OrphanProcesses remains =
        new OrphanProcesses(cgroup, entries -> JobEnvironment.isOf(assignment.key(), entries));
    return killRemains && remains.kill() ? Remainder.KILLED : Remainder.NOTHING;
  }

  /// Files of the machine that its container finds, too: a job on the machine's network needs the
  /// files that resolve its names.
  private List<Path> lent() {
    Stream<Path> names =
        machine.walls().haveOwnNetwork()
            ? Stream.of()
            : Stream.of(Path.of("/etc/resolv.conf"), Path.of("/etc/hosts")).filter(Files::exists);
    return Stream.concat(names, containers().devices().lent().stream()).toList();
  }

  private Containers containers() {
    return machine.containers().known().orElseThrow();
  }

  private OptionalInt user() throws IOException {
    if (!machine.walls().areUsers()) {
      return OptionalInt.empty();
    }
    OptionalInt user = machine.ledger().user(assignment.key());
    if (user.isEmpty()) {
      throw new IOException(
          "no user is free for the job: walls.user-count is too small, or an agent without walls"
              + " recorded it");
    }
    return user;
  }

  private JobWalls.Directories makeDirectories(OptionalInt user) throws IOException {
    machine.walls().openWay(directory);
    Path work = directory.resolve(WORK);
    Path temporary = directory.resolve(TEMPORARY);
    Path varTemporary = directory.resolve(VAR_TEMPORARY);
    for (Path own : List.of(work, temporary, varTemporary)) {
      machine.walls().makeFor(user, own);
    }
    Path checkpoints = machine.checkpoints().make(assignment);
    if (!machine.walls().areNamespaces()) {
      return new JobWalls.Directories(
          directory, List.of(), work, temporary, varTemporary, checkpoints);
    }
    // Links on the way to a directory may be hidden in there, so it goes by its real name.
    return new JobWalls.Directories(
        machine.ledger().data().toRealPath(),
        machine.checkpoints().all(),
        work.toRealPath(),
        temporary.toRealPath(),
        varTemporary.toRealPath(),
        machine.checkpoints().use(assignment, made -> made.toRealPath()));
  }

  /// Its private temporary files, its limits, its cgroup, its container.
  @Override
  public void cleanUp() throws IOException {
    try {
      Trees.delete(directory.resolve(TEMPORARY));
      Trees.delete(directory.resolve(VAR_TEMPORARY));
    } catch (IOException e) {
      // Its slice is not held back for that; the files go with the rest of the directory.
      LOG.warn(
          "the temporary files of {} stay until its directory is deleted: {}",
          assignment.key(),
          e.toString());
    }
    freeDisk();
    Files.deleteIfExists(directory.resolve("reserve"));
    Optional<Path> cgroup = machine.cgroups().of(assignment.key().directoryName());
    if (cgroup.isPresent()) {
      Cgroups.killAndRemove(cgroup.get());
    }
    if (assignment.container().isPresent()) {
      machine.containers().remove(assignment.key());
    }
    machine.walls().remove(assignment.key().directoryName());
  }

  /// Its output and checkpoints stay, and count for no job from here on.
  private void freeDisk() {
    List<Path> left =
        Stream.concat(
                Stream.of(directory.resolve(WORK)),
                machine.checkpoints().directory(assignment).stream())
            .filter(Files::isDirectory)
            .toList();
    if (left.isEmpty() || !left.getFirst().endsWith(WORK)) {
      return;
    }
    try {
      machine.disk().free(left);
    } catch (IOException e) {
      // Its slice is not held back for that; the project becomes free with its last file.
      LOG.warn("the disk quota of {} stays for a while: {}", assignment.key(), e.toString());
    }
  }
}

package io.headgate.agent.runtime.host;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.driver.SlicePaths;
import io.headgate.agent.process.CgroupLimits;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.process.DeviceFiles;
import io.headgate.agent.process.WallProbe;
import io.headgate.agent.process.WallProbe.Wall;
import io.headgate.agent.process.Walls;
import io.headgate.agent.runtime.attempt.JobLimits;
import io.headgate.agent.runtime.attempt.VisibleFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The walls around the jobs of this machine. The agent tries once, at its start, which walls work,
/// and logs the result. A job gets all of those walls, or does not start.
public final class JobWalls {
  private static final Logger LOG = LoggerFactory.getLogger(JobWalls.class);

  private final Settings settings;
  private final Cgroups cgroups;
  private final CgroupLimits limits;
  private final boolean users;
  private final Walls.Namespaces namespaces;
  private final boolean fenceByProgram;
  private final boolean metadataFenced;
  private final boolean filtered;

  /// Whether a wall is wanted.
  public enum Wanted {
    /// Where it can stand.
    AUTO,
    /// The agent does not start without it.
    REQUIRED,
    NONE
  }

  /// The settings of the walls.
  ///
  /// @param users each attempt is a user of its own
  /// @param firstUser of the range of those users
  /// @param userCount how many they are
  /// @param namespaces each attempt has its own mounts, processes, messages and device files
  /// @param ownNetwork it has no network but a loopback of its own; where namespaces stand
  /// @param syscalls each attempt may make only the system calls that jobs have a use for
  /// @param metadata whether a job is kept from a cloud's metadata service; with cgroup v2 only
  /// @param disk whether the space of its directories is limited; by quotas of the file system only
  /// @param shared directories that stay visible to jobs although their parents are hidden
  /// @param devices device files, or directories of them, that all jobs may use
  /// @param limits of each job
  public record Settings(
      Wanted users,
      int firstUser,
      int userCount,
      Wanted namespaces,
      boolean ownNetwork,
      Wanted syscalls,
      Wanted metadata,
      Wanted disk,
      List<Path> shared,
      List<Path> devices,
      JobLimits limits) {
    public Settings {
      shared = List.copyOf(shared);
      devices = List.copyOf(devices);
    }

    /// These settings on a machine that jobs share.
    public Settings on(JobLimits.Capacity machine) {
      return new Settings(
          users,
          firstUser,
          userCount,
          namespaces,
          ownNetwork,
          syscalls,
          metadata,
          disk,
          shared,
          devices,
          limits.on(machine));
    }
  }

  /// The directories of one attempt.
  ///
  /// @param checkpointRoots that namespaces hide, with the directories of all jobs; there or not
  /// @param temporary its `/tmp`
  /// @param varTemporary its `/var/tmp`
  record Directories(
      Path data,
      List<Path> checkpointRoots,
      Path work,
      Path temporary,
      Path varTemporary,
      Path checkpoints) {}

  /// The walls that one attempt requests.
  ///
  /// @param devices of its slices
  /// @param paths of its slices
  /// @param root of its container
  record Request(
      String name,
      OptionalInt user,
      Optional<Walls.Root> root,
      List<DeviceNode> devices,
      SlicePaths paths,
      JobLimits.Granted limits) {}

  private JobWalls(
      Settings settings, Cgroups cgroups, CgroupLimits limits, WallProbe probe, Path data) {
    this.settings = settings;
    this.cgroups = cgroups;
    this.limits = limits;
    Optional<String> unwanted = Optional.of("the configuration turns it off");
    Optional<String> noNamespaces =
        settings.namespaces() == Wanted.NONE
            ? unwanted
            : probe
                .problem(Wall.NAMESPACES)
                .or(() -> settings.ownNetwork() ? probe.problem(Wall.NETWORK) : Optional.empty());
    Optional<String> noUsers =
        settings.users() == Wanted.NONE
            ? unwanted
            : probe
                .problem(Wall.USER)
                .or(() -> noNamespaces.isEmpty() ? Optional.empty() : closedWay(data));
    Optional<String> noFilter =
        settings.syscalls() == Wanted.NONE ? unwanted : probe.problem(Wall.SYSCALLS);
    this.users = noUsers.isEmpty();
    this.namespaces =
        noNamespaces.isPresent()
            ? Walls.Namespaces.NONE
            : settings.ownNetwork()
                ? Walls.Namespaces.OWN_NETWORK
                : Walls.Namespaces.SHARED_NETWORK;
    this.fenceByProgram = probe.problem(Wall.FENCE_PROGRAM).isEmpty();
    this.filtered = noFilter.isEmpty();
    Optional<String> noMetadataFence =
        settings.metadata() == Wanted.NONE ? unwanted : probe.problem(Wall.METADATA);
    // A job with a network of its own reaches no service anyway.
    this.metadataFenced = noMetadataFence.isEmpty() && !settings.ownNetwork();
    require("metadata", settings.metadata(), noMetadataFence);
    require("users", settings.users(), noUsers);
    require("namespaces", settings.namespaces(), noNamespaces);
    require("syscalls", settings.syscalls(), noFilter);
    if (settings.ownNetwork() && noNamespaces.isPresent()) {
      // An own network is an explicit choice, unlike the other walls, so its absence is an error.
      throw new IllegalStateException(
          "walls.network is own, but does not work here: %s; set machine if jobs may use the machine's network"
              .formatted(noNamespaces.get()));
    }
    tell(noUsers, noNamespaces);
    say("a filter of system calls", settings.syscalls(), noFilter);
    if (!settings.ownNetwork()) {
      say("a fence before the cloud's metadata service", settings.metadata(), noMetadataFence);
    }
  }

  /// Tries which walls work here.
  ///
  /// @param name tells this agent's attempts from those of others on the machine
  /// @param program the supervisor's
  /// @param data the agent's directory
  /// @throws IOException also when a wall is required that cannot stand
  public static JobWalls open(
      Settings settings, String name, Path program, Cgroups cgroups, Path data) throws IOException {
    WallProbe probe;
    try {
      probe = WallProbe.run(program, cgroups);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the walls were tried", e);
    }
    try {
      return new JobWalls(settings, cgroups, CgroupLimits.discover(name, cgroups), probe, data);
    } catch (IllegalStateException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static void require(String wall, Wanted wanted, Optional<String> problem) {
    if (wanted == Wanted.REQUIRED && problem.isPresent()) {
      throw new IllegalStateException(
          "walls.%s is required, but does not work here: %s".formatted(wall, problem.get()));
    }
  }

  private void tell(Optional<String> noUsers, Optional<String> noNamespaces) {
    say("users of their own", settings.users(), noUsers);
    say(
        settings.ownNetwork()
            ? "mounts, processes, messages, device files and network of their own"
            : "mounts, processes, messages and device files of their own",
        settings.namespaces(),
        noNamespaces);
    if (namespaces != Walls.Namespaces.NONE) {
      LOG.info("jobs are kept from devices of other jobs by {}", fenceWords());
    }
    for (CgroupLimits.Controller controller :
        List.of(
            CgroupLimits.Controller.CPU,
            CgroupLimits.Controller.MEMORY,
            CgroupLimits.Controller.PIDS)) {
      String word = controller.name().toLowerCase(Locale.ROOT);
      Optional<Integer> version = limits.version(controller);
      if (version.isPresent()) {
        LOG.info("jobs are limited in {} by cgroup v{}", word, version.get());
      } else {
        LOG.warn(
            "jobs are NOT limited in {} by cgroup: this agent's own cgroup cannot share that"
                + " controller out, as its systemd unit lets it",
            word);
      }
    }
  }

  private static void say(String wall, Wanted wanted, Optional<String> problem) {
    if (problem.isEmpty()) {
      LOG.info("jobs have {}", wall);
    } else if (wanted == Wanted.NONE) {
      LOG.info("jobs do not have {}: {}", wall, problem.get());
    } else {
      LOG.warn("jobs do NOT have {}: {}", wall, problem.get());
    }
  }

  private String fenceWords() {
    if (fenceByProgram) {
      return "a BPF program of each job's cgroup v2";
    }
    return limits.version(CgroupLimits.Controller.DEVICES).isPresent()
        ? "cgroup v1"
        : "their absence from a job's /dev only";
  }

  /// A job with a user of its own cannot pass directories that only their owner may traverse.
  private static Optional<String> closedWay(Path data) {
    for (Path at = data.getParent(); at != null; at = at.getParent()) {
      try {
        if (!PosixFilePermissions.toString(Files.getPosixFilePermissions(at)).endsWith("x")) {
          return Optional.of("without namespaces, jobs cannot enter " + at);
        }
      } catch (IOException e) {
        return Optional.of(e.toString());
      }
    }
    return Optional.empty();
  }

  /// The limits of a job, as far as this machine can enforce them: 0 where it cannot.
  JobLimits.Granted limits(Assignment assignment) {
    JobLimits.Granted granted =
        settings.limits().of(assignment.units(), assignment.cpuMillis(), assignment.memoryBytes());
    return new JobLimits.Granted(
        limits.version(CgroupLimits.Controller.CPU).isPresent() ? granted.cpuMillis() : 0,
        limits.version(CgroupLimits.Controller.MEMORY).isPresent() ? granted.memoryBytes() : 0,
        granted.processes());
  }

  boolean areUsers() {
    return users;
  }

  boolean areFiltered() {
    return filtered;
  }

  public boolean areNamespaces() {
    return namespaces != Walls.Namespaces.NONE;
  }

  boolean haveOwnNetwork() {
    return namespaces == Walls.Namespaces.OWN_NETWORK;
  }

  /// Lets jobs traverse the directory without listing it, where no namespace shows it to them.
  public void openWay(Path directory) throws IOException {
    if (users && !areNamespaces()) {
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
    }
  }

  /// Makes the directory and gives it to the job's user. Nothing of the job has run.
  void makeFor(OptionalInt user, Path directory) throws IOException {
    Files.createDirectories(directory);
    if (user.isPresent()) {
      Files.setAttribute(directory, "unix:uid", user.getAsInt());
      Files.setAttribute(directory, "unix:gid", user.getAsInt());
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    }
  }

  /// The walls around one attempt, with its cgroups made.
  Walls raise(Request request, Directories directories) throws IOException {
    CgroupLimits.Wanted wanted =
        new CgroupLimits.Wanted(
            request.limits().cpuMillis(),
            request.limits().memoryBytes(),
            request.limits().processes());
    List<Path> groups = limits.make(request.name(), wanted);
    boolean counted = limits.version(CgroupLimits.Controller.PIDS).isPresent();
    List<DeviceNode> devices = new ArrayList<>();
    if (areNamespaces()) {
      devices.addAll(request.devices());
      devices.addAll(DeviceFiles.of(settings.devices()));
    }
    return new Walls(
        request.user(),
        namespaces,
        fileSystem(request, directories),
        devices.stream().distinct().toList(),
        fence(request.name()),
        metadataFenced && cgroups.of(request.name()).isPresent(),
        filtered,
        groups,
        new Walls.Limits(
            settings.limits().files(),
            // The user's limit would count all processes of the agent's user.
            counted || request.user().isEmpty() ? 0 : request.limits().processes()));
  }

  private Walls.FileSystem fileSystem(Request request, Directories directories) throws IOException {
    List<Path> owned = request.user().isPresent() ? List.of(directories.checkpoints()) : List.of();
    if (!areNamespaces()) {
      return new Walls.FileSystem(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          List.of(),
          List.of(),
          List.of(),
          owned);
    }
    List<Path> shown = new ArrayList<>(List.of(directories.work(), directories.checkpoints()));
    shown.addAll(request.paths().shown());
    for (Path shared : settings.shared()) {
      if (Files.isDirectory(shared)) {
        shown.add(shared.toRealPath());
      }
    }
    return new Walls.FileSystem(
        request.root(),
        Optional.of(directories.temporary()),
        Optional.of(directories.varTemporary()),
        request.paths().sharedMemory(),
        directories.checkpointRoots(),
        Stream.concat(Stream.of(directories.data()), request.paths().hidden().stream())
            .distinct()
            .toList(),
        shown,
        owned);
  }

  /// Which files of the machine jobs see.
  ///
  /// @param data the agent's directory
  /// @param checkpointRoots with the directories of all jobs
  public VisibleFiles visibleFiles(Path data, List<Path> checkpointRoots) {
    return areNamespaces()
        ? VisibleFiles.ofMounts(users, data, checkpointRoots, settings.shared())
        : new VisibleFiles(users, List.of(), List.of());
  }

  private Walls.Fence fence(String name) {
    if (!areNamespaces()) {
      return new Walls.Fence.Absent();
    }
    if (fenceByProgram && cgroups.of(name).isPresent()) {
      return new Walls.Fence.Program();
    }
    Optional<Path> group = limits.deviceGroup(name);
    return group.isPresent() ? new Walls.Fence.Group(group.get()) : new Walls.Fence.Absent();
  }

  /// Removes the remains of the walls around an attempt without live processes.
  void remove(String name) throws IOException {
    limits.remove(name);
  }

  void close() {
    limits.removeIfEmpty();
  }
}

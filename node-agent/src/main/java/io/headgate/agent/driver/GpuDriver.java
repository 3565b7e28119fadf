package io.headgate.agent.driver;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.process.CudaCheckpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// The devices of this machine and the slices on them.
///
/// `plan` is pure: it fixes mechanism and placement before any device is touched. After a crash
/// between making and recording a slice, the plan thus finds the slice. The other calls may take
/// seconds, are made from threads of their own, and are idempotent: each may be repeated after a
/// crash at any moment.
public interface GpuDriver extends AutoCloseable {
  /// Name and version, for people: `simulated`, `nvml 570.86`.
  String description();

  /// The same of the driver that a device has.
  default String description(String deviceUuid) {
    return description();
  }

  /// Whether the devices do not exist.
  boolean isSimulated();

  /// The devices as they can be given to jobs now.
  List<DeviceInfo> devices();

  /// Called once, before anything else, but after the agent knows its records. The driver may then
  /// change how unused devices are divided.
  ///
  /// @param held UUIDs of devices of which jobs have slices, made already or not
  default void prepare(Set<String> held) {}

  /// Told once, before any slice is made: jobs have mounts of their own, in which they find what
  /// [#paths] says. Otherwise they find everything as it is on the machine.
  ///
  /// @param program starts another that has a directory as its `/dev/shm`: `--shm DIRECTORY PROGRAM
  ///   ARGUMENT…`
  default void jobsHaveMounts(Path program) {}

  /// How the slices of an attempt would be made.
  ///
  /// @throws GpuDriverException when they cannot be
  List<SlicePlan> plan(AttemptKey attempt, List<SliceGrant> grants);

  /// Fails when an object that no agent made occupies the place of one of the slices. Called before
  /// the plans are written down: objects found afterwards count as made by them.
  ///
  /// @throws GpuDriverException with the object that is in the way
  void requireRoom(List<SlicePlan> plans);

  /// Called once, before anything else is made: reports slices on the devices that none of the
  /// recorded plans explains, or removes them if so configured.
  void recover(List<SlicePlan> recorded);

  /// Whether the slice is one of this driver's, or was while its device was still there.
  default boolean isOfIts(SlicePlan plan) {
    return devices().stream().anyMatch(device -> device.uuid().equals(plan.grant().deviceUuid()));
  }

  /// Makes the slice, or finds it as it was made before.
  ///
  /// @throws GpuDriverException when the device refuses
  void realise(SlicePlan plan);

  /// Removes the slice, if it is there.
  ///
  /// @throws GpuDriverException when the device refuses for now; the slice is not free
  void release(SlicePlan plan);

  /// The slices that this driver knows to exist, of this agent or an earlier one.
  List<SlicePlan> discover();

  /// The processes, of any owner, that have memory of a device now. On a divided device, those of
  /// the existing slices. Called many times a second, so the call never blocks: the answer comes on
  /// the device's own thread. A device that hangs never answers.
  ///
  /// @throws GpuDriverException when the device cannot be asked; when it cannot answer, the future
  ///   fails with such an exception
  CompletableFuture<List<GpuProcess>> processes(String deviceUuid);

  /// The present health and figures of a device. The call never fails: a missing or silent device
  /// is reported as faulty.
  DeviceReading read(String deviceUuid);

  /// Begins to report signs that devices give by themselves, if they do, until the driver is
  /// closed. Called once.
  default void listen(DeviceListener listener) {}

  /// The program that suspends processes with such slices; empty: none can.
  default Optional<CudaCheckpoint> checkpoint(List<SlicePlan> slices) {
    return Optional.empty();
  }

  /// The environment variables that tell a job's libraries which devices are its own. Without
  /// slices, they say that none is.
  Map<String, String> environment(List<SlicePlan> slices);

  /// The device files that the slices need; for no slices, none.
  ///
  /// @throws GpuDriverException when it cannot be said
  List<DeviceNode> deviceNodes(List<SlicePlan> slices);

  /// The paths of the file system that the slices need. Without slices, the paths that no job may
  /// see.
  default SlicePaths paths(List<SlicePlan> slices) {
    return SlicePaths.NONE;
  }

  /// Lets go of the devices. The slices stay.
  @Override
  void close();
}

package io.headgate.agent.driver;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.process.CudaCheckpoint;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/// The devices of this machine and the slices on them.
///
/// `plan` changes no device: it chooses the mechanism and the placement. The ledger records the
/// plan before `realise` touches a device, so a restarted agent finds half-made slices by their
/// plans. The other calls may block for seconds, and callers make them from threads of their own.
/// Each is idempotent and may be repeated after a crash at any moment.
public interface GpuDriver extends AutoCloseable {
  /// Name and version, for people: `simulated`, `nvml 570.86`.
  String description();

  /// Name and version of the driver of one device.
  default String description(String deviceUuid) {
    return description();
  }

  /// Whether the devices are simulated: no hardware stands behind them.
  boolean isSimulated();

  /// The devices that jobs can get slices of now.
  List<DeviceInfo> devices();

  /// Called once, before all other calls, when the ledger has been read. The driver may then change
  /// how unused devices are divided.
  ///
  /// @param held UUIDs of devices with recorded slices, whether these were made or not
  default void prepare(Set<String> held) {}

  /// Called at most once, before any slice is made, where each job has a mount namespace of its
  /// own: a job then sees the paths of [#paths]. Where this is not called, jobs see the machine's
  /// paths.
  ///
  /// @param program starts another that has a directory as its `/dev/shm`: `--shm DIRECTORY PROGRAM
  ///   ARGUMENT…`
  default void jobsHaveMounts(Path program) {}

  /// Plans the slices of an attempt.
  ///
  /// @throws GpuDriverException when no mechanism can make them
  List<SlicePlan> plan(AttemptKey attempt, List<SliceGrant> grants);

  /// Checks that no foreign object, such as an instance made by an operator, occupies the place of
  /// a slice. Called before the plans are recorded: afterwards an object in such a place counts as
  /// made by the plan.
  ///
  /// @throws GpuDriverException names the object in the way
  void requireRoom(List<SlicePlan> plans);

  /// Called once, before any slice is made. Objects on the devices that match no recorded plan are
  /// logged, or removed where the configuration says so; MPS daemons of this agent are ended.
  void recover(List<SlicePlan> recorded);

  /// Whether this driver made the slice, or its device was one of this driver's before it was lost.
  default boolean owns(SlicePlan plan) {
    return devices().stream().anyMatch(device -> device.uuid().equals(plan.grant().deviceUuid()));
  }

  /// Makes the slice, or finds it where it was made before.
  ///
  /// @throws GpuDriverException when the device refuses
  void realise(SlicePlan plan);

  /// Removes the slice, if it is there.
  ///
  /// @throws GpuDriverException when the device refuses for now; the slice still exists, and the
  ///   caller tries again
  void release(SlicePlan plan);

  /// The slices that this driver has made, or found again, since it was opened.
  List<SlicePlan> realisedSlices();

  /// The processes, of any owner, that have memory of a device now. On a divided device, those of
  /// the existing slices. Called many times a second, so the call never blocks: the answer comes on
  /// the device's own thread. A device that hangs never answers.
  ///
  /// @throws GpuDriverException when the device cannot be asked; when it cannot answer, the future
  ///   fails with such an exception
  CompletableFuture<List<GpuProcess>> processes(String deviceUuid);

  /// Reads health and measurements of a device. Never fails: a device that is lost or does not
  /// answer yields a reading with that sign.
  DeviceReading read(String deviceUuid);

  /// The part of a device's time in which it computed for each attempt, 0 to 1, since the last call
  /// for that device; empty: the driver does not tell processes apart. May block as [#read] does.
  ///
  /// @param owners the attempt of each process; those of no attempt are left out
  /// @throws GpuDriverException when the device does not answer
  default Optional<Map<AttemptKey, Double>> computing(
      String deviceUuid, Function<Collection<Long>, Map<Long, AttemptKey>> owners) {
    return Optional.empty();
  }

  /// Forwards errors that devices report by themselves (XID events) to the listener, until the
  /// driver is closed. Called at most once; drivers without such events forward none.
  default void listen(DeviceListener listener) {}

  /// The program that suspends processes with these slices; empty: they cannot be suspended.
  default Optional<CudaCheckpoint> checkpoint(List<SlicePlan> slices) {
    return Optional.empty();
  }

  /// The environment variables that tell a job's libraries which devices are its own. Without
  /// slices, they say that none is.
  Map<String, String> environment(List<SlicePlan> slices);

  /// The device files that the slices need; for no slices, none.
  ///
  /// @throws GpuDriverException when a file's device number is unknown
  List<DeviceNode> deviceNodes(List<SlicePlan> slices);

  /// The paths of the file system that the slices need. Without slices, the paths that no job may
  /// see.
  default SlicePaths paths(List<SlicePlan> slices) {
    return SlicePaths.NONE;
  }

  /// Closes the native library and its threads. The slices stay.
  @Override
  void close();
}

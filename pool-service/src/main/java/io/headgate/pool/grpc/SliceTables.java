package io.headgate.pool.grpc;

import io.headgate.kit.failure.Refusal;
import io.headgate.pool.core.node.SliceTable;
import io.headgate.proto.pool.v1.Device;
import io.headgate.proto.type.v1.DeviceGeometry;
import io.headgate.proto.type.v1.SliceProfile;
import java.util.Optional;

/// Converts slice tables to and from messages.
final class SliceTables {
  private SliceTables() {}

  static Optional<SliceTable> table(Device device) {
    if (!device.hasSlices()) {
      return Optional.empty();
    }
    String field = "node.devices[" + device.getIndex() + "].slices";
    if (device.getGeometry() == DeviceGeometry.DEVICE_GEOMETRY_CONTINUOUS) {
      throw refusal(field, "leave it out: a continuous device has no slices");
    }
    var message = device.getSlices();
    SliceTable table =
        new SliceTable(
            message.getMemorySlices(),
            message.getComputeSlices(),
            message.getProfilesList().stream().map(SliceTables::profile).toList());
    if (!table.misfit().isEmpty()) {
      throw refusal(
          field,
          "profile %s must have ascending places within %d memory slices, and at most %d compute slices"
              .formatted(table.misfit(), table.memorySlices(), table.computeSlices()));
    }
    return Optional.of(table);
  }

  private static RuntimeException refusal(String field, String what) {
    return Refusal.invalidField("SLICES_IMPOSSIBLE", field, what).exception();
  }

  private static SliceTable.Profile profile(SliceProfile profile) {
    return new SliceTable.Profile(
        profile.getName(),
        profile.getMemorySlices(),
        profile.getComputeSlices(),
        profile.getStartsList());
  }

  static io.headgate.proto.type.v1.SliceTable message(SliceTable table) {
    return io.headgate.proto.type.v1.SliceTable.newBuilder()
        .setMemorySlices(table.memorySlices())
        .setComputeSlices(table.computeSlices())
        .addAllProfiles(table.profiles().stream().map(SliceTables::message).toList())
        .build();
  }

  private static SliceProfile message(SliceTable.Profile profile) {
    return SliceProfile.newBuilder()
        .setName(profile.name())
        .setMemorySlices(profile.memorySlices())
        .setComputeSlices(profile.computeSlices())
        .addAllStarts(profile.starts())
        .build();
  }
}

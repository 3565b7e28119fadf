package io.headgate.pool.grpc;

import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.pool.core.node.Claims;
import io.headgate.pool.core.node.Device;
import io.headgate.pool.core.node.Inventory;
import io.headgate.pool.core.node.Inventory.Software;
import io.headgate.pool.core.node.JobFiles;
import io.headgate.pool.core.node.Node;
import io.headgate.pool.runtime.ClaimsEtag;
import java.util.ArrayList;
import java.util.List;

/// Converts nodes to and from messages.
final class NodeMessages {
  private NodeMessages() {}

  static Inventory inventory(io.headgate.proto.pool.v1.Node message) {
    List<Device> devices = new ArrayList<>();
    for (io.headgate.proto.pool.v1.Device device : message.getDevicesList()) {
      devices.add(
          new Device(
              device.getIndex(),
              device.getUuid(),
              device.getGpuModel(),
              device.getMemoryBytes(),
              Enums.geometry(device.getGeometry())
                  .orElseThrow(() -> withoutGeometry(device.getIndex())),
              Enums.isolation(device.getIsolation()),
              SliceTables.table(device),
              DeviceConditions.condition(device)));
    }
    return new Inventory(
        devices,
        message.getCpuMillis(),
        message.getMemoryBytes(),
        message.getSimulated(),
        message.getStoragesList(),
        message.hasJobFiles() ? jobFiles(message.getJobFiles()) : JobFiles.UNKNOWN,
        new Software(message.getDriver(), message.getAgentVersion(), message.getHostname()));
  }

  private static JobFiles jobFiles(io.headgate.proto.pool.v1.JobFiles message) {
    return new JobFiles(
        message.getView(), message.getOwnUsers(), message.getHiddenList(), message.getSharedList());
  }

  private static io.headgate.proto.pool.v1.JobFiles message(JobFiles files) {
    return io.headgate.proto.pool.v1.JobFiles.newBuilder()
        .setView(files.view())
        .setOwnUsers(files.ownUsers())
        .addAllHidden(files.hidden())
        .addAllShared(files.shared())
        .build();
  }

  static io.headgate.proto.pool.v1.Node message(Node node) {
    Inventory inventory = node.inventory();
    io.headgate.proto.pool.v1.Node.Builder message = io.headgate.proto.pool.v1.Node.newBuilder();
    node.trust().quarantine().map(NodeMessages::message).ifPresent(message::setQuarantine);
    if (!inventory.jobFiles().equals(JobFiles.UNKNOWN)) {
      message.setJobFiles(message(inventory.jobFiles()));
    }
    node.undrainedAt().map(ProtoTimes::toProto).ifPresent(message::setUndrainTime);
    return message
        .setName(Names.of(node.tenant(), node.id()))
        .setPool(node.pool().value())
        .addAllDevices(inventory.devices().stream().map(NodeMessages::message).toList())
        .setCpuMillis(inventory.cpuMillis())
        .setMemoryBytes(inventory.memoryBytes())
        .setSimulated(inventory.simulated())
        .setDriver(inventory.software().driver())
        .setAgentVersion(inventory.software().agentVersion())
        .setHostname(inventory.software().hostname())
        .setState(state(node))
        .setDrainReason(node.drain().reason())
        .addAllStorages(inventory.storages())
        .putAllLabels(node.labels())
        .setCreateTime(ProtoTimes.toProto(node.createdAt()))
        .setUpdateTime(ProtoTimes.toProto(node.updatedAt()))
        .build();
  }

  private static io.headgate.proto.pool.v1.Node.State state(Node node) {
    if (node.trust().quarantine().isPresent()) {
      return io.headgate.proto.pool.v1.Node.State.STATE_QUARANTINED;
    }
    return node.drain().draining()
        ? io.headgate.proto.pool.v1.Node.State.STATE_DRAINING
        : io.headgate.proto.pool.v1.Node.State.STATE_ACTIVE;
  }

  private static io.headgate.proto.pool.v1.Quarantine message(Node.Quarantine quarantine) {
    Claims claims = quarantine.claims();
    return io.headgate.proto.pool.v1.Quarantine.newBuilder()
        .setReason(quarantine.reason())
        .setDevices(claims.devices())
        .addAllGpuModels(claims.models())
        .setDeviceMemoryBytes(claims.deviceMemoryBytes())
        .setCpuMillis(claims.cpuMillis())
        .setMemoryBytes(claims.memoryBytes())
        .setSimulated(claims.simulated())
        .setEtag(ClaimsEtag.of(claims))
        .build();
  }

  private static io.headgate.proto.pool.v1.Device message(Device device) {
    io.headgate.proto.pool.v1.Device.Builder message =
        io.headgate.proto.pool.v1.Device.newBuilder()
            .setIndex(device.index())
            .setUuid(device.uuid())
            .setGpuModel(device.gpuModel())
            .setMemoryBytes(device.memoryBytes())
            .setGeometry(Enums.geometry(device.geometry()))
            .setIsolation(Enums.level(device.isolation()));
    device.slices().map(SliceTables::message).ifPresent(message::setSlices);
    device.condition().map(DeviceConditions::message).ifPresent(message::setCondition);
    return message.build();
  }

  private static RuntimeException withoutGeometry(int index) {
    return Refusal.invalidField(
            "GEOMETRY_MISSING",
            "node.devices[" + index + "].geometry",
            "say how the device can be divided: CONTINUOUS, MIG or AMD_PARTITION")
        .exception();
  }
}

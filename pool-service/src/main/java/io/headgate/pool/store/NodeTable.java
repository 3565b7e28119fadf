package io.headgate.pool.store;

import static io.headgate.pool.store.jooq.Tables.DEVICES;
import static io.headgate.pool.store.jooq.Tables.NODES;

import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.core.node.Claims;
import io.headgate.pool.core.node.Device;
import io.headgate.pool.core.node.DeviceCondition;
import io.headgate.pool.core.node.DeviceCondition.Health;
import io.headgate.pool.core.node.DeviceCondition.Remedy;
import io.headgate.pool.core.node.Geometry;
import io.headgate.pool.core.node.Inventory;
import io.headgate.pool.core.node.Inventory.Software;
import io.headgate.pool.core.node.Isolation;
import io.headgate.pool.core.node.JobFiles;
import io.headgate.pool.core.node.Node;
import io.headgate.pool.core.node.Node.Drain;
import io.headgate.pool.core.node.Node.Membership;
import io.headgate.pool.core.node.Node.Quarantine;
import io.headgate.pool.core.node.Node.Trust;
import io.headgate.pool.store.jooq.tables.records.DevicesRecord;
import io.headgate.pool.store.jooq.tables.records.NodesRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Row2;
import org.jooq.Select;
import org.jooq.impl.DSL;

/// Nodes with their devices.
final class NodeTable {
  private final DSLContext db;

  NodeTable(DSLContext db) {
    this.db = db;
  }

  static Condition is(TenantId tenant, NodeId node) {
    return NODES.TENANT_ID.eq(tenant.value()).and(NODES.NODE_ID.eq(node.value()));
  }

  /// At most `limit` nodes, by tenant and id.
  List<Node> read(Condition condition, int limit) {
    List<NodesRecord> rows =
        db.selectFrom(NODES)
            .where(condition)
            .orderBy(NODES.TENANT_ID, NODES.NODE_ID)
            .limit(limit)
            .fetch();
    if (rows.isEmpty()) {
      return List.of();
    }
    Map<List<String>, List<Device>> devices = new HashMap<>();
    for (DevicesRecord row :
        db.selectFrom(DEVICES).where(ofNodes(rows, condition, limit)).fetch()) {
      devices
          .computeIfAbsent(List.of(row.getTenantId(), row.getNodeId()), _ -> new ArrayList<>())
          .add(device(row));
    }
    return rows.stream()
        .map(row ->
            node(row, devices.getOrDefault(List.of(row.getTenantId(), row.getNodeId()), List.of())))
        .toList();
  }

  void put(Node node) {
    NodesRecord row = db.newRecord(NODES);
    row.setTenantId(node.tenant().value());
    row.setNodeId(node.id().value());
    row.setPoolId(node.membership().pool().value());
    row.setJoinedPoolId(node.membership().joined().value());
    row.setLabels(
        node.labels().entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .toArray(String[]::new));
    row.setCpuMillis(node.inventory().cpuMillis());
    row.setMemoryBytes(node.inventory().memoryBytes());
    row.setSimulated(node.inventory().simulated());
    row.setStorages(node.inventory().storages().toArray(String[]::new));
    JobFiles files = node.inventory().jobFiles();
    row.setFilesView(files.view());
    row.setFilesOwnUsers(files.ownUsers());
    row.setFilesHidden(files.hidden().toArray(String[]::new));
    row.setFilesShared(files.shared().toArray(String[]::new));
    row.setDriver(node.inventory().software().driver());
    row.setAgentVersion(node.inventory().software().agentVersion());
    row.setHostname(node.inventory().software().hostname());
    row.setDraining(node.drain().draining());
    row.setDrainReason(node.drain().reason());
    Claims approved = node.trust().approved();
    row.setApprovedDevices(approved.devices());
    row.setApprovedModels(approved.models().toArray(String[]::new));
    row.setApprovedDeviceMemory(approved.deviceMemoryBytes());
    row.setApprovedCpuMillis(approved.cpuMillis());
    row.setApprovedMemoryBytes(approved.memoryBytes());
    row.setApprovedSimulated(approved.simulated());
    Optional<Quarantine> quarantine = node.trust().quarantine();
    Claims claimed = quarantine.map(Quarantine::claims).orElse(Claims.NONE);
    row.setQuarantineReason(quarantine.map(Quarantine::reason).orElse(null));
    row.setClaimedDevices(claimed.devices());
    row.setClaimedModels(claimed.models().toArray(String[]::new));
    row.setClaimedDeviceMemory(claimed.deviceMemoryBytes());
    row.setClaimedCpuMillis(claimed.cpuMillis());
    row.setClaimedMemoryBytes(claimed.memoryBytes());
    row.setClaimedSimulated(claimed.simulated());
    row.setUndrainedAt(node.undrainedAt().orElse(null));
    row.setCreatedAt(node.createdAt());
    row.setUpdatedAt(node.updatedAt());
    db.insertInto(NODES).set(row).onConflict().doUpdate().set(row).execute();
    db.deleteFrom(DEVICES)
        .where(DEVICES.TENANT_ID.eq(node.tenant().value()))
        .and(DEVICES.NODE_ID.eq(node.id().value()))
        .execute();
    List<DevicesRecord> devices =
        node.inventory().devices().stream().map(device -> row(node, device)).toList();
    if (!devices.isEmpty()) {
      db.batchInsert(devices).execute();
    }
  }

  void delete(TenantId tenant, NodeId node) {
    db.deleteFrom(NODES).where(is(tenant, node)).execute();
  }

  private static Condition ofNodes(List<NodesRecord> rows, Condition condition, int limit) {
    Row2<String, String> key = DSL.row(DEVICES.TENANT_ID, DEVICES.NODE_ID);
    if (rows.size() == limit) {
      // The nodes of a page are known and few.
      return key.in(rows.stream().map(row -> DSL.row(row.getTenantId(), row.getNodeId())).toList());
    }
    Select<? extends org.jooq.Record2<String, String>> nodes =
        DSL.select(NODES.TENANT_ID, NODES.NODE_ID).from(NODES).where(condition);
    return key.in(nodes);
  }

  private DevicesRecord row(Node node, Device device) {
    DevicesRecord row = db.newRecord(DEVICES);
    row.setTenantId(node.tenant().value());
    row.setNodeId(node.id().value());
    row.setDeviceIndex(device.index());
    row.setUuid(device.uuid());
    row.setGpuModel(device.gpuModel());
    row.setMemoryBytes(device.memoryBytes());
    row.setGeometry(device.geometry().name());
    row.setIsolation(device.isolation().name());
    row.setSlices(SliceTableText.of(device.slices()));
    device
        .condition()
        .ifPresent(condition -> {
          row.setHealth(condition.health().name());
          row.setHealthCause(condition.cause());
          row.setRemedy(condition.remedy().name());
        });
    return row;
  }

  private static Node node(NodesRecord row, List<Device> devices) {
    return new Node(
        new TenantId(row.getTenantId()),
        new NodeId(row.getNodeId()),
        new Membership(new PoolId(row.getPoolId()), new PoolId(row.getJoinedPoolId())),
        labels(row),
        new Inventory(
            devices,
            row.getCpuMillis(),
            row.getMemoryBytes(),
            row.getSimulated(),
            List.of(row.getStorages()),
            new JobFiles(
                row.getFilesView(),
                row.getFilesOwnUsers(),
                List.of(row.getFilesHidden()),
                List.of(row.getFilesShared())),
            new Software(row.getDriver(), row.getAgentVersion(), row.getHostname())),
        new Drain(row.getDraining(), row.getDrainReason()),
        trust(row),
        Optional.ofNullable(row.getUndrainedAt()),
        row.getCreatedAt(),
        row.getUpdatedAt());
  }

  private static SortedMap<String, String> labels(NodesRecord row) {
    SortedMap<String, String> labels = new TreeMap<>();
    for (String label : row.getLabels()) {
      int equals = label.indexOf('=');
      labels.put(label.substring(0, equals), label.substring(equals + 1));
    }
    return labels;
  }

  private static Trust trust(NodesRecord row) {
    Claims approved =
        new Claims(
            row.getApprovedDevices(),
            new TreeSet<>(List.of(row.getApprovedModels())),
            row.getApprovedDeviceMemory(),
            row.getApprovedCpuMillis(),
            row.getApprovedMemoryBytes(),
            row.getApprovedSimulated());
    Claims claimed =
        new Claims(
            row.getClaimedDevices(),
            new TreeSet<>(List.of(row.getClaimedModels())),
            row.getClaimedDeviceMemory(),
            row.getClaimedCpuMillis(),
            row.getClaimedMemoryBytes(),
            row.getClaimedSimulated());
    return new Trust(
        approved,
        Optional.ofNullable(row.getQuarantineReason())
            .map(reason -> new Quarantine(claimed, reason)));
  }

  private static Device device(DevicesRecord row) {
    return new Device(
        row.getDeviceIndex(),
        row.getUuid(),
        row.getGpuModel(),
        row.getMemoryBytes(),
        Geometry.valueOf(row.getGeometry()),
        Isolation.valueOf(row.getIsolation()),
        SliceTableText.parse(row.getSlices()),
        Optional.ofNullable(row.getHealth())
            .map(health ->
                new DeviceCondition(
                    Health.valueOf(health),
                    row.getHealthCause(),
                    Remedy.valueOf(row.getRemedy()))));
  }
}

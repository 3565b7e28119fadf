package io.headgate.deploy.simulate.openb;

import io.headgate.deploy.simulate.trace.TraceException;
import io.headgate.deploy.simulate.trace.TraceTable;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// A node of the trace.
///
/// @param gpus number of GPUs
/// @param model of its GPUs
public record Machine(String name, long cpuMillis, long memoryMib, int gpus, String model) {
  private static final long MOST = 1_000_000_000;
  private static final int MOST_GPUS = 64;

  /// Reads a file of the trace.
  ///
  /// @param lines of the file, the first with the names of the columns
  /// @throws TraceException when a line cannot be used
  public static List<Machine> parse(List<String> lines) throws TraceException {
    TraceTable table = new TraceTable(lines, "sn", "cpu_milli", "memory_mib", "gpu", "model");
    List<Machine> machines = new ArrayList<>();
    Set<String> names = TraceTable.names();
    for (int i = 0; i < table.size(); i++) {
      TraceTable.Row row = table.row(i);
      TraceTable.checkNew(names, row, "sn");
      machines.add(
          new Machine(
              row.text("sn"),
              row.number("cpu_milli", 0, MOST),
              row.number("memory_mib", 0, MOST),
              (int) row.number("gpu", 0, MOST_GPUS),
              row.text("model")));
    }
    return machines;
  }

  /// The node for the core. Its GPUs divide freely, and their memory is not counted.
  public Node node(NodeId id, PoolId pool) {
    List<Device> devices = new ArrayList<>();
    for (int index = 0; index < gpus; index++) {
      devices.add(
          new Device(
              index, name + "-" + index, model, 0, new Geometry.Continuous(), Isolation.NONE));
    }
    return new Node(id, pool, devices, cpuMillis, memoryMib << 20, NodeStatus.READY);
  }
}

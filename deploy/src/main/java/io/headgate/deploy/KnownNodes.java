package io.headgate.deploy;

import io.headgate.deploy.node.NodePlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The agents that belong to a data directory. The next `up` starts them again, and their jobs
/// resume.
///
/// Each has one line `TENANT NODE POOL GPUS`. GPUS is `-` for a machine without devices, and
/// `local` for this machine with its own devices.
final class KnownNodes {
  private final Path file;

  /// One agent of a tenant.
  record Entry(String tenant, NodePlan plan) {
    private boolean isSameNode(Entry other) {
      return tenant.equals(other.tenant) && plan.id().equals(other.plan.id());
    }

    /// This node in its pool, with the devices of the other entry.
    private Entry withDevicesOf(Entry other) {
      return new Entry(tenant, new NodePlan(plan.id(), plan.pool(), other.plan.gpus()));
    }
  }

  KnownNodes(Path directory) {
    this.file = directory.resolve("nodes");
  }

  List<Entry> read() throws IOException {
    List<Entry> entries = new ArrayList<>();
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        String[] fields = line.split(" ", -1);
        if (fields.length != 4) {
          throw new IOException(file + ": \"" + line + "\" is not TENANT NODE POOL GPUS");
        }
        String gpus = fields[3].equals("-") ? "" : fields[3];
        entries.add(new Entry(fields[0], new NodePlan(fields[1], fields[2], gpus)));
      }
    }
    return entries;
  }

  /// Whether the node is known, whatever devices it has.
  boolean has(Entry entry) throws IOException {
    return read().stream().anyMatch(entry::isSameNode);
  }

  void add(Entry entry) throws IOException {
    if (!has(entry)) {
      write(Stream.concat(read().stream(), Stream.of(entry)).toList());
    }
  }

  /// Gives the node the devices of the entry, if it is known. It stays in the pool that it joined.
  void change(Entry entry) throws IOException {
    if (has(entry)) {
      write(
          read().stream()
              .map(each -> each.isSameNode(entry) ? each.withDevicesOf(entry) : each)
              .toList());
    }
  }

  private void write(List<Entry> entries) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Entry each : entries) {
      NodePlan plan = each.plan();
      text.append(each.tenant()).append(' ').append(plan.id()).append(' ').append(plan.pool());
      text.append(' ').append(plan.gpus().isEmpty() ? "-" : plan.gpus()).append('\n');
    }
    Path fresh = file.resolveSibling("nodes.new");
    Files.writeString(fresh, text);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
  }
}

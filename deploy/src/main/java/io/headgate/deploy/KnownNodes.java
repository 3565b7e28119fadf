package io.headgate.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/// The agents that belong to a data directory, so that the next `up` starts them again and their
/// jobs resume: one line `TENANT NODE POOL GPUS` each, where GPUS is `-` for a machine without
/// devices.
final class KnownNodes {
  private final Path file;

  /// One agent of a tenant.
  record Entry(String tenant, NodePlan plan) {}

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

  void add(Entry entry) throws IOException {
    List<Entry> entries = read();
    if (entries.contains(entry)) {
      return;
    }
    entries.add(entry);
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

package io.headgate.sdk.config;

import io.headgate.sdk.config.ScenarioFile.DeclaredNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads the `nodes` section and knows the names in it.
final class ScenarioNodesReader {

  /// Each is known by itself: more would fill the memory of a usual machine.
  private static final int MOST_DEVICES_IN_ALL = 2_000_000;

  private final List<DeclaredNode> nodes = new ArrayList<>();
  private final NumberedNames names = new NumberedNames();
  private final Map<Span, DeclaredNode> declared = new HashMap<>();
  private long total;
  private long totalDevices;

  ScenarioNodesReader(MappingReader root, Configuration configuration) {
    DeclaredNames pools =
        DeclaredNames.of("pool", configuration.pools().stream().map(Pool::name).toList());
    for (MappingReader fields : root.items("nodes", ScenarioKeys.NODES.names())) {
      nodes.add(node(fields, pools));
    }
    for (Pool pool : configuration.pools()) {
      if (pool.elasticity() != null) {
        // Instances of an elastic pool carry the pool's name and a number.
        names.add(pool.name(), Math.max(2, pool.elasticity().maxInstances()), new Span(1, 1, 1));
      }
    }
  }

  List<DeclaredNode> all() {
    return nodes;
  }

  /// The machines that a name is one of; empty: there is no such machine in the file.
  Optional<DeclaredNode> find(String name) {
    return names.find(name).map(declared::get);
  }

  /// Reports a reference to a machine that is not there.
  void check(YamlTree.Scalar reference, String field, Problems problems) {
    String name = reference.text();
    if (names.find(name).isPresent()) {
      return;
    }
    problems.add(
        Problem.of(
                "NODE_NOT_FOUND",
                "node \"" + name + "\" is not declared in this file",
                reference.span(),
                field)
            .value(name)
            .note("no such node")
            .next(names.suggestion(name).orElse("declare it under nodes")));
  }

  private DeclaredNode node(MappingReader fields, DeclaredNames pools) {
    ValueReader values = new ValueReader(fields);
    DeclaredNode node =
        new DeclaredNode(
            values.name("name", "give the node a name"),
            values.integer(ScenarioKeys.NODE_COUNT),
            values.reference("pool", pools, "name the pool it belongs to"),
            values.integer(ScenarioKeys.NODE_GPUS),
            values.textOrNull(ScenarioKeys.NODE_GPU_MODEL),
            values.bytesOrNull("gpuMemory"),
            values.cpuMillisOrNull("cpus"),
            values.bytesOrNull("memory"),
            values.keyword(ScenarioKeys.GEOMETRY),
            values.keywordOrNull(ScenarioKeys.NODE_ISOLATION));
    claim(fields, node);
    return node;
  }

  private void claim(MappingReader fields, DeclaredNode node) {
    YamlTree.Scalar scalar = fields.scalar("name");
    if (scalar == null || node.name().equals(ValueReader.UNREADABLE)) {
      return;
    }
    declared.put(scalar.span(), node);
    long nodesBefore = total;
    long devicesBefore = totalDevices;
    total += node.count();
    totalDevices += (long) node.count() * node.gpus();
    if (total > ScenarioKeys.MOST_NODES) {
      tooMany(fields, scalar, "NODES", "nodes", ScenarioKeys.MOST_NODES, nodesBefore);
      // DeclaredNames beyond the bound are many, and looked up one by one.
      return;
    }
    if (totalDevices > MOST_DEVICES_IN_ALL) {
      tooMany(fields, scalar, "DEVICES", "devices", MOST_DEVICES_IN_ALL, devicesBefore);
    }
    names
        .add(node.name(), node.count(), scalar.span())
        .ifPresent(first ->
            fields
                .problems()
                .add(
                    Problem.of(
                            "NAME_TAKEN",
                            "node \"" + node.name() + "\" is declared twice",
                            scalar.span(),
                            fields.path("name"))
                        .value(node.name())
                        .note("taken in line " + first.line())
                        .next("rename one of them")));
  }

  /// Told once, where the file passes the bound.
  private static void tooMany(
      MappingReader fields,
      YamlTree.Scalar scalar,
      String reason,
      String what,
      int most,
      long before) {
    if (before <= most) {
      fields
          .problems()
          .add(
              Problem.of(
                      "TOO_MANY_" + reason,
                      "more than " + most + " " + what,
                      scalar.span(),
                      fields.path())
                  .note("the limit is passed here")
                  .next("leave a part of them out"));
    }
  }
}

package io.headgate.deploy;

import io.headgate.agent.MachineGpus;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.deploy.demo.Demo;
import io.headgate.deploy.node.NodePlan;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.Configuration;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The nodes that `up` adds to those that it knows, and the first configuration of a new
/// installation with them.
final class UpNodes {
  private static final String CPU = "cpu";

  private final boolean demo;
  private final @Nullable String named;
  private final Supplier<MachineGpus> look;
  private @Nullable MachineGpus machine;

  /// @param named as [NodePlan#parse] reads them; null: the machine decides
  UpNodes(boolean demo, @Nullable String named) {
    this(demo, named, MachineGpus::look);
  }

  /// @param look finds this machine's GPUs; called only when they matter
  UpNodes(boolean demo, @Nullable String named, Supplier<MachineGpus> look) {
    this.demo = demo;
    this.named = named;
    this.look = look;
  }

  /// Refuses `--nodes local` on a machine without usable GPUs.
  void check() {
    if (NodePlan.LOCAL.equals(named) && machine().devices().isEmpty()) {
      throw new UsageException(
          "this machine has no usable GPU",
          "NO_GPU",
          Stream.of(
                  machine().problems(),
                  machine().absent(),
                  List.of(
                      "without GPUs: headgate up --nodes cpu",
                      "with simulated GPUs: headgate up --nodes sim:1x2xH100"))
              .flatMap(List::stream)
              .toArray(String[]::new));
    }
  }

  /// Refuses `--nodes local` while another agent gives this machine's GPUs to jobs. Called once
  /// this process has locked the data directory: otherwise that agent may be one of its own
  /// installation.
  void requireFree() {
    if (NodePlan.LOCAL.equals(named) && machine().holder().isPresent()) {
      throw new UsageException(
          "the GPUs of this machine are in use by " + machine().holder().get(),
          "GPUS_TAKEN",
          "two agents would give the same GPUs away: stop the other one, or start without GPUs:"
              + " headgate up --nodes cpu");
    }
  }

  /// Whether the configuration in force is still that of a new installation without GPUs, although
  /// the named nodes have GPUs.
  boolean outgrow(Configuration inForce) {
    return named != null
        && areSame(inForce, StarterConfiguration.forGpus(0))
        && !areSame(inForce, starter());
  }

  /// Whether both configurations are equal, apart from the tenant.
  static boolean areSame(Configuration one, Configuration other) {
    return one.withTenant("").equals(other.withTenant(""));
  }

  /// The first configuration of a new installation.
  Configuration starter() {
    return StarterConfiguration.forGpus(
        plans(chosen(), StarterConfiguration.POOL).stream()
            .mapToInt(plan -> plan.isLocal() ? machine().devices().size() : plan.gpuCount())
            .sum());
  }

  /// Remarks on this machine's GPUs.
  List<String> remarks(Installation installation) throws IOException {
    Optional<List<DeviceInfo>> devices = installation.localGpus();
    Optional<KnownNodes.Entry> node = installation.localNode();
    if (devices.isPresent() && node.isPresent()) {
      return LocalGpus.remarks(devices.get(), node.get().plan().pool(), LocalGpus.isRoot());
    }
    return machine == null
        ? List.of()
        : Stream.concat(
                machine.holder().map("in use by "::concat).stream(), machine.problems().stream())
            .map("none: "::concat)
            .toList();
  }

  /// The nodes to start, with their devices.
  ///
  /// @param inForce the tenant's configuration
  List<NodePlan> toAdd(Installation installation, String tenant, Configuration inForce)
      throws IOException {
    if (demo) {
      return Demo.nodes();
    }
    List<NodePlan> plans = toAdd(inForce, installation.knownNodes(tenant));
    Optional<String> holder = installation.localNode().map(KnownNodes.Entry::tenant);
    if (plans.stream().anyMatch(NodePlan::isLocal)
        && holder.filter(other -> !other.equals(tenant)).isPresent()) {
      throw new UsageException(
          "the GPUs of this machine belong to a node of tenant " + holder.get(),
          "GPUS_TAKEN",
          "two agents would give the same GPUs away: put the teams into one tenant");
    }
    return plans;
  }

  /// @param known nodes that the tenant has already; each stays in the pool that it joined
  List<NodePlan> toAdd(Configuration inForce, List<NodePlan> known) {
    boolean own =
        inForce.pools().stream().anyMatch(pool -> pool.name().equals(StarterConfiguration.POOL));
    if (named == null && (!known.isEmpty() || !own)) {
      return List.of();
    }
    List<NodePlan> places = new ArrayList<>();
    for (NodePlan plan : plans(chosen(), StarterConfiguration.POOL)) {
      Optional<NodePlan> before =
          known.stream().filter(node -> node.id().equals(plan.id())).findFirst();
      if (before.isPresent()) {
        if (!before.get().gpus().equals(plan.gpus())) {
          NodePools.demandFit(before.get(), model(plan), inForce.pools());
        }
        places.add(plan.in(before.get().pool()));
      } else {
        places.add(own ? plan : plan.in(NodePools.forModel(model(plan), inForce.pools())));
      }
    }
    return places;
  }

  private String model(NodePlan plan) {
    return plan.isLocal() ? machine().devices().getFirst().model() : plan.gpuModel();
  }

  private String chosen() {
    if (named != null) {
      return named;
    }
    return machine().devices().isEmpty() || machine().holder().isPresent() ? CPU : NodePlan.LOCAL;
  }

  private static List<NodePlan> plans(String nodes, String pool) {
    return NodePlan.parse(nodes, pool);
  }

  private MachineGpus machine() {
    if (machine == null) {
      machine = look.get();
    }
    return machine;
  }
}

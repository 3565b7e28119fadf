package io.headgate.agent.driver.rocm;

import io.headgate.agent.driver.GpuDriverException;
import java.util.List;
import java.util.Optional;

/// The nodes of one GPU and the processes that use them.
record NodeUse(Kfd kfd) {
  /// @throws GpuDriverException when the kernel shows no such node
  Kfd.Node node(AmdGpu gpu, int partition) {
    return find(gpu, partition)
        .orElseThrow(() ->
            new GpuDriverException(
                "the amdgpu driver shows no partition %d of %s".formatted(partition, gpu.words())));
  }

  Optional<Kfd.Node> find(AmdGpu gpu, int partition) {
    return nodes(gpu).stream().filter(node -> node.partition() == partition).findFirst();
  }

  List<Kfd.Node> nodes(AmdGpu gpu) {
    return kfd.nodes().stream().filter(node -> node.address().equals(gpu.address())).toList();
  }

  /// A process that uses one of the nodes, in words; empty: none.
  Optional<String> user(List<Kfd.Node> nodes) {
    return kfd.memoryByProcess(nodes.stream().map(Kfd.Node::id).toList()).entrySet().stream()
        .findFirst()
        .map(use -> "process %d, with %d MiB".formatted(use.getKey(), use.getValue() >> 20));
  }

  /// @throws GpuDriverException when anybody uses the node
  void requireUnused(AmdGpu gpu, Kfd.Node node) {
    user(List.of(node))
        .ifPresent(user -> {
          throw new GpuDriverException(
              "partition %d of %s is still used by %s"
                  .formatted(node.partition(), gpu.words(), user));
        });
  }
}

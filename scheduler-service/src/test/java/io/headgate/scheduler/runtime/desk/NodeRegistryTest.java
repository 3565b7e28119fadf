package io.headgate.scheduler.runtime.desk;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.node.NodeId;
import org.junit.jupiter.api.Test;

final class NodeRegistryTest {
  private static final NodeId NODE = new NodeId(new TenantId("acme"), "n-0");

  private final NodeRegistry nodes = new NodeRegistry(1);

  @Test
  void whatIsNoMachineAnyMoreIsForgottenOnceNothingNeedsIt() {
    NodeRegistry.Entry entry = nodes.entry(NODE);
    nodes.remove(NODE);
    nodes.forget(NODE::equals);
    assertThat(nodes.find(NODE)).containsSame(entry);
    nodes.forget(_ -> false);
    assertThat(nodes.find(NODE)).isEmpty();
  }

  /// Or it would count as silent since the take-over, and what it runs would be given up.
  @Test
  void aNameThatComesBackIsNotForgottenToHaveBeenHeard() {
    nodes.clock(NODE).answered(1000);
    nodes.entry(NODE);
    nodes.remove(NODE);
    nodes.forget(_ -> false);
    nodes.entry(NODE);
    assertThat(nodes.clock(NODE).answeredNanos()).isEqualTo(1000);
  }
}

package io.headgate.scheduler.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.type.ImagePattern;
import io.headgate.type.ImageRules;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NodeBookTest {
  private static ImageRules rules(String pattern) {
    return new ImageRules(Optional.of(List.of(ImagePattern.parse(pattern))), false);
  }

  @Test
  void keepsTheSameRulesOfManyNodesOnce() {
    NodeBook nodes = new NodeBook(0);
    ImageRules first = rules("registry.example/**");
    assertThat(nodes.shared(first)).isSameAs(first);
    nodes.entry(new NodeId(new TenantId("acme"), "a-0")).imageRules = first;

    assertThat(nodes.shared(rules("registry.example/**"))).isSameAs(first);
    ImageRules other = rules("docker.io/*");
    assertThat(nodes.shared(other)).isSameAs(other);
  }
}

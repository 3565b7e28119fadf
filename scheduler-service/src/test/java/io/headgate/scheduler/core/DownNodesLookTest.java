package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.ledger.Books;
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.core.ledger.Ledger;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// How many nodes the ledger looks at to find the slices that are down.
class DownNodesLookTest {
  private static final int NODES = 5_000;

  private final Driver it = new Driver(new TenantBuilder().pool("pool"));

  /// The nodes of which the ledger wanted the slices that are down.
  private final List<NodeId> looks = new ArrayList<>();

  private Books books() {
    Books books = it.core.books(_ -> Optional.empty());
    return (Books)
        Proxy.newProxyInstance(
            Books.class.getClassLoader(),
            new Class<?>[] {Books.class},
            (_, method, arguments) -> {
              if (method.getName().equals("down") && arguments.length == 2) {
                looks.add((NodeId) arguments[1]);
              }
              return method.invoke(books, arguments);
            });
  }

  private static Node node(int number, NodeStatus status) {
    return Driver.node("n-" + number, "pool", 2).withStatus(status);
  }

  private static Node[] all(NodeStatus status) {
    return IntStream.range(0, NODES).mapToObj(number -> node(number, status)).toArray(Node[]::new);
  }

  /// A leader has lost all agents, and another follows, to which they report one after the other.
  @Test
  void aNodeThatReportsIsTheOnlyOneThatIsLookedAt() {
    it.join(all(NodeStatus.SUSPECT));
    Entries told = new Ledger(books()).settle(it.now, true);
    assertThat(told.down()).hasSize(NODES);
    it.join(all(NodeStatus.AWAITED));
    Ledger ledger = new Ledger(books());
    ledger.restore(told.pools(), List.of(), List.of(), List.of(), told.down());
    ledger.restored();
    it.after(Duration.ofMillis(1));
    assertThat(ledger.settle(it.now, true).down()).as("they stay down").isEmpty();

    for (int number = 0; number < NODES; number++) {
      looks.clear();
      Node node = node(number, NodeStatus.READY);
      Entries entries = report(ledger, node);
      assertThat(looks).containsExactly(node.id());
      assertThat(entries.down()).containsExactly(new DownStep(node.id(), it.now, Optional.empty()));
      assertThat(entries.downIntervals()).hasSize(1);
      assertThat(entries.pools()).hasSize(1);
    }
    assertThat(ledger.down()).isEmpty();
  }

  /// Nothing is missed if more has changed than is remembered.
  @Test
  void manyChangesAtATimeAreFound() {
    Ledger ledger = new Ledger(books());
    ledger.settle(it.now, true);

    it.join(all(NodeStatus.SUSPECT));
    assertThat(ledger.settle(it.now, false).down()).hasSize(NODES);
    it.after(Duration.ofMillis(1)).join(all(NodeStatus.READY));
    assertThat(ledger.settle(it.now, false).downIntervals()).hasSize(NODES);
    assertThat(ledger.down()).isEmpty();
  }

  private Entries report(Ledger ledger, Node node) {
    it.after(Duration.ofMillis(1)).join(node);
    return ledger.settle(it.now, false);
  }
}

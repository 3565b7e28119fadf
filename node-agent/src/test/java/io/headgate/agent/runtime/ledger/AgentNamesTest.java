package io.headgate.agent.runtime.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.agent.runtime.ledger.AgentNames.Form;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentNamesTest {
  /// Two paths with the same hash code.
  private static final Path ONE = Path.of("/var/lib/Aa");

  private static final Path OTHER = Path.of("/var/lib/BB");

  @TempDir Path root;

  @Test
  void pathsThatCollideIn32BitsLeadToNamesThatDiffer() {
    AgentNames one = new AgentNames(ONE, Form.SHA_256);
    AgentNames other = new AgentNames(OTHER, Form.SHA_256);
    assertThat(ONE.hashCode()).isEqualTo(OTHER.hashCode());
    assertThat(new AgentNames(ONE, Form.HASH_32).mps())
        .isEqualTo(new AgentNames(OTHER, Form.HASH_32).mps());

    assertThat(one.cgroups("n1")).isNotEqualTo(other.cgroups("n1"));
    assertThat(one.mps()).isNotEqualTo(other.mps());
    assertThat(one.devices("Aa")).isNotEqualTo(one.devices("BB"));
  }

  @Test
  void namesFollowFromTheDirectoryAloneSoThatTheyAreTheSameAfterAnUpgrade() {
    AgentNames names = new AgentNames(ONE, Form.SHA_256);
    assertThat(names.cgroups("n1")).isEqualTo("n1-Q05NwlkhXlL55JKxhpYCtV");
    assertThat(names.mps()).isEqualTo("Q05NwlkhXlL");
    assertThat(names.devices("n1-Q05NwlkhXlL55JKxhpYCtV")).isEqualTo("eOO8Rz6PnUi");
    AgentNames older = new AgentNames(ONE, Form.HASH_32);
    assertThat(older.cgroups("n1")).isEqualTo("n1-d4902d61");
    assertThat(older.mps()).isEqualTo("d4902d61");
    assertThat(older.devices("n1-d4902d61")).isEqualTo("8315659e");
  }

  @Test
  void anAgentKeepsTheNamesWithWhichItBegan() throws Exception {
    Path fresh = root.resolve("fresh");
    assertThat(AgentNames.load(fresh).form()).isEqualTo(Form.SHA_256);
    Files.createDirectory(fresh.resolve("attempts"));
    assertThat(AgentNames.load(fresh).form()).isEqualTo(Form.SHA_256);

    Path upgraded = Files.createDirectory(root.resolve("upgraded"));
    Path attempts = Files.createDirectory(upgraded.resolve("attempts"));
    assertThat(AgentNames.load(upgraded).form()).isEqualTo(Form.HASH_32);
    Files.delete(attempts);
    assertThat(AgentNames.load(upgraded).form()).isEqualTo(Form.HASH_32);
  }

  @Test
  void agentsThatStartAtOnceInAFreshDirectoryAgreeOnTheirNames() throws Exception {
    int agents = 8;
    try (ExecutorService threads = Executors.newFixedThreadPool(agents)) {
      for (int round = 0; round < 50; round++) {
        Path data = root.resolve("data-" + round);
        CyclicBarrier start = new CyclicBarrier(agents);
        Callable<Form> agent =
            () -> {
              start.await();
              Form form = AgentNames.load(data).form();
              // As the ledger does next.
              Files.createDirectories(data.resolve("attempts"));
              return form;
            };
        for (Future<Form> form : threads.invokeAll(Collections.nCopies(agents, agent))) {
          assertThat(form.get()).isEqualTo(Form.SHA_256);
        }
        assertThat(data).isDirectoryNotContaining("glob:**.new");
      }
    }
  }

  @Test
  void aDamagedRecordIsRefusedBecauseItsNamesWouldMissRunningAttempts() throws Exception {
    Files.writeString(root.resolve("names"), "form=MD5\n");
    assertThatThrownBy(() -> AgentNames.load(root))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(root.resolve("names").toString())
        .hasMessageContaining("MD5");
  }
}

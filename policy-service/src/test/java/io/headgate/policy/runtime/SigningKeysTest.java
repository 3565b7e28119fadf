package io.headgate.policy.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.jwk.JWKSet;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.db.Database;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestClock;
import io.headgate.kit.testing.TestSecrets;
import io.headgate.policy.core.signing.RotationRule;
import io.headgate.policy.runtime.port.PolicyStore;
import io.headgate.policy.runtime.port.Tables;
import io.headgate.policy.store.CommitListener;
import io.headgate.policy.store.PostgresPolicyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Many threads at once, against the real database.
class SigningKeysTest {
  private static final int THREADS = 16;

  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  private final TestClock clock = new TestClock();
  private final AtomicInteger reads = new AtomicInteger();
  private Database database;
  private SigningKeys keys;

  @BeforeEach
  void open() {
    database = Database.open(POSTGRES.fresh());
    PolicyStore stored =
        new PostgresPolicyStore(database, TestSecrets.seal(database), clock, CommitListener.NONE)
            .acrossTenants();
    PolicyStore counted =
        new PolicyStore() {
          @Override
          public PolicyStore acrossTenants() {
            return this;
          }

          @Override
          public <T> T read(Function<Tables, T> work) {
            reads.incrementAndGet();
            return stored.read(work);
          }

          @Override
          public <T> T change(Function<Tables, T> work) {
            return stored.change(work);
          }
        };
    keys =
        new SigningKeys(
            new Changes(counted, clock),
            new RotationRule(Duration.ofDays(30), Duration.ofMinutes(20), Duration.ofMinutes(12)),
            TokenRules.DEFAULTS,
            clock);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void theFirstKeyIsMadeOnce() throws Exception {
    List<String> published = atOnce(keys::publicJwks);
    assertThat(published).containsOnly(published.getFirst());
    assertThat(JWKSet.parse(published.getFirst()).getKeys()).hasSize(1);
  }

  @Test
  void oldKeysAreReadOnceForAllWhoAsk() throws Exception {
    String published = keys.publicJwks();
    for (int round = 0; round < 20; round++) {
      clock.advance(Duration.ofSeconds(30));
      reads.set(0);
      assertThat(atOnce(keys::publicJwks)).containsOnly(published);
      assertThat(reads).as("reads in round %d", round).hasValue(1);
    }
  }

  @Test
  void anUnknownIdIsLookedUpOnceForAllWhoBringIt() throws Exception {
    keys.publicJwks();
    for (int round = 0; round < 20; round++) {
      clock.advance(Duration.ofSeconds(1));
      reads.set(0);
      assertThat(atOnce(() -> keys.find("invented").isPresent())).containsOnly(false);
      assertThat(reads).as("reads in round %d", round).hasValue(1);
    }
  }

  @Test
  void aRotationIsBegunOnce() throws Exception {
    keys.publicJwks();
    clock.advance(Duration.ofDays(31));
    List<String> published = atOnce(keys::publicJwks);
    assertThat(published).containsOnly(published.getFirst());
    assertThat(JWKSet.parse(published.getFirst()).getKeys()).hasSize(2);
  }

  private static <T> List<T> atOnce(Callable<T> question) throws Exception {
    CyclicBarrier together = new CyclicBarrier(THREADS);
    Callable<T> asked =
        () -> {
          together.await();
          return question.call();
        };
    List<T> answers = new ArrayList<>();
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<T> answer : executor.invokeAll(Collections.nCopies(THREADS, asked))) {
        answers.add(answer.get());
      }
    }
    return answers;
  }
}

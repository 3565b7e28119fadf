package io.headgate.scheduler.runtime.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.NameLookup;
import io.headgate.scheduler.runtime.record.StoredKeys;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// A name belongs to one job, and a refused job leaves it free.
final class NameAllocatorTest {
  private static final TenantId ACME = new TenantId("acme");

  private static final Leadership FIRST = leadership();
  private static final Leadership RESTORED = leadership();

  private final Set<JobName> stored = new HashSet<>();
  private boolean isAway;

  private final KnownKeys nothing =
      new KnownKeys(
          "names",
          new StoredKeys() {
            @Override
            public void forEach(Consumer<String> each) {}

            @Override
            public long count() {
              return 0;
            }
          });

  private final NameAllocator names =
      new NameAllocator(
          new NameLookup() {
            @Override
            public boolean isTaken(JobName name) {
              return stored.contains(name);
            }

            @Override
            public long lastNumber(TenantId tenant, String prefix) {
              if (isAway) {
                throw new IllegalStateException("the database does not answer");
              }
              return 0;
            }
          },
          nothing);

  /// The first epoch of an incarnation of its own.
  private static Leadership leadership() {
    return new Leadership(
        UUID.randomUUID(), 1, Optional.of("a"), Optional.empty(), Optional.empty());
  }

  @Test
  void aNameThatWasNotToBeHadForWantOfADatabaseIsStillFree() {
    JobName name = new JobName(ACME, "train-7");
    isAway = true;
    assertThatThrownBy(() -> names.exact(name)).hasMessage("the database does not answer");
    isAway = false;
    assertThat(names.exact(name)).isPresent();
    assertThat(names.exact(name)).as("of another who asks at once").isEmpty();
    names.release(name);
    stored.add(name);
    assertThat(names.exact(name)).as("when it is stored").isEmpty();
  }

  @Test
  void whatIsKnownIsGivenWithoutTheDatabase() {
    names.under(FIRST);
    await().atMost(Duration.ofSeconds(30)).until(() -> nothing.isNew("a name that nobody has"));
    assertThat(names.next(ACME, "train").name().id()).isEqualTo("train-1");
    isAway = true;
    assertThat(names.nextAtOnce(ACME, "train").orElseThrow().name().id()).isEqualTo("train-2");
    JobName asked = new JobName(ACME, "train-7");
    assertThat(names.exactAtOnce(asked)).isPresent();
    assertThat(names.exactAtOnce(asked)).as("of another who asks at once").isEmpty();
    assertThat(names.nextAtOnce(ACME, "train").orElseThrow().name().id()).isEqualTo("train-8");
    assertThat(names.exactAtOnce(new JobName(ACME, "night"))).as("without a number").isPresent();
  }

  @Test
  void whatIsNotKnownIsLeftForWhoeverMayAsk() {
    names.under(FIRST);
    await().atMost(Duration.ofSeconds(30)).until(() -> nothing.isNew("a name that nobody has"));
    isAway = true;
    assertThat(names.nextAtOnce(ACME, "train")).isEmpty();
    JobName asked = new JobName(ACME, "train-7");
    assertThat(names.exactAtOnce(asked)).isEmpty();
    isAway = false;
    assertThat(names.exact(asked)).as("it was not kept from others").isPresent();
    names.next(ACME, "train");
    assertThat(names.nextAtOnce(ACME, "train")).isPresent();
    names.under(RESTORED);
    assertThat(names.nextAtOnce(ACME, "train"))
        .as("of another leader, of the same epoch")
        .isEmpty();
  }
}

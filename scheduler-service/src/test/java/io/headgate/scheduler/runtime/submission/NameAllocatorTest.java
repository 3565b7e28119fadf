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
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
        UUID.randomUUID(), 2, Optional.of("a"), Optional.empty(), Optional.empty());
  }

  private static CallerThread eventLoop() {
    return CallerThread.EVENT_LOOP;
  }

  private void know(Leadership leadership) {
    names.under(leadership, CallerThread.MAY_BLOCK);
    await().atMost(Duration.ofSeconds(30)).until(() -> nothing.isNew("a name that no job has"));
  }

  private Optional<NameAllocator.Allocation> exact(JobName name) {
    return names.exact(name, CallerThread.MAY_BLOCK);
  }

  @Test
  void aNameStaysFreeWhenTheDatabaseFails() {
    JobName name = new JobName(ACME, "train-7");
    isAway = true;
    assertThatThrownBy(() -> exact(name)).hasMessage("the database does not answer");
    isAway = false;
    assertThat(exact(name)).isPresent();
    assertThat(exact(name)).as("while the name is reserved").isEmpty();
    names.release(name);
    stored.add(name);
    assertThat(exact(name)).as("when it is stored").isEmpty();
  }

  @Test
  void namesOnAnEventLoopWithoutTheDatabaseWhatIsCertainlyNew() {
    know(FIRST);
    assertThat(names.next(ACME, "train", CallerThread.MAY_BLOCK).name().id()).isEqualTo("train-1");
    isAway = true;
    assertThat(names.next(ACME, "train", eventLoop()).name().id()).isEqualTo("train-2");
    JobName asked = new JobName(ACME, "train-7");
    assertThat(names.exact(asked, eventLoop())).isPresent();
    assertThat(names.exact(asked, eventLoop())).as("while the name is reserved").isEmpty();
    assertThat(names.next(ACME, "train", eventLoop()).name().id()).isEqualTo("train-8");
    assertThat(names.exact(new JobName(ACME, "night"), eventLoop()))
        .as("without a number")
        .isPresent();
  }

  @Test
  void aCallerThatReadAnEarlierLeadershipRepeatsNoNumber() {
    know(FIRST);
    JobName first = names.next(ACME, "train", CallerThread.MAY_BLOCK).name();
    Leadership before =
        new Leadership(
            FIRST.incarnation(), 1, Optional.of("b"), Optional.empty(), Optional.empty());
    names.under(before, eventLoop());
    assertThat(names.next(ACME, "train", eventLoop()).name()).isNotEqualTo(first);
  }

  @Test
  void doesNotBlockAnEventLoopWhereTheDatabaseMustDecide() {
    know(FIRST);
    isAway = true;
    wouldBlock(() -> names.next(ACME, "train", eventLoop()));
    JobName asked = new JobName(ACME, "train-7");
    wouldBlock(() -> names.exact(asked, eventLoop()));
    isAway = false;
    assertThat(exact(asked)).as("the name was not reserved").isPresent();
    names.release(asked);
    wouldBlock(() -> names.exact(asked, eventLoop()));
    names.next(ACME, "train", CallerThread.MAY_BLOCK);
    assertThat(names.next(ACME, "train", eventLoop())).isNotNull();
    wouldBlock(() -> names.under(RESTORED, eventLoop()));
    know(RESTORED);
    wouldBlock(() -> names.next(ACME, "train", eventLoop()));
  }

  private static void wouldBlock(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(WouldBlockException.class);
  }
}

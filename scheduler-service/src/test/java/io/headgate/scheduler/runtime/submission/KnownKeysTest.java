package io.headgate.scheduler.runtime.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.StoredKeys;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A key is called new only if it is new; every other case costs at most one query of the database.
final class KnownKeysTest {
  private static final Leadership FIRST = leadership();
  private static final Leadership RESTORED = leadership();

  private final Set<String> stored = ConcurrentHashMap.newKeySet();

  /// One for each reading that may go on.
  private final Semaphore readings = new Semaphore(1);

  private final KnownKeys known =
      new KnownKeys(
          "names",
          new StoredKeys() {
            @Override
            public void forEach(Consumer<String> each) {
              readings.acquireUninterruptibly();
              stored.forEach(each);
            }

            @Override
            public long count() {
              return stored.size();
            }
          },
          Duration.ZERO,
          100);

  @AfterEach
  void close() {
    readings.release(1000);
    known.close();
  }

  /// The first epoch of an incarnation of its own.
  private static Leadership leadership() {
    return new Leadership(
        UUID.randomUUID(), 1, Optional.of("a"), Optional.empty(), Optional.empty());
  }

  private void awaitFilled(String probe) {
    int[] tried = {0};
    await().until(() -> known.isNew(probe + tried[0]++));
  }

  @Test
  void nothingIsNewUntilWhatIsThereIsKnown() {
    stored.add("acme\0a");
    readings.drainPermits();
    known.under(FIRST);
    assertThat(known.isNew("acme\0b")).isFalse();
    readings.release();
    awaitFilled("probe");
    assertThat(known.isNew("acme\0a")).as("was there").isFalse();
    assertThat(known.isNew("acme\0b")).as("was asked for meanwhile").isFalse();
    assertThat(known.isNew("acme\0c")).isTrue();
    assertThat(known.isNew("acme\0c")).as("a second time").isFalse();
  }

  @Test
  void looksAgainUnderAnotherLeadership() {
    known.under(FIRST);
    awaitFilled("probe");
    stored.add("of-another-leader");
    known.under(RESTORED);
    assertThat(known.isNew("early")).isFalse();
    readings.release();
    awaitFilled("again");
    assertThat(known.isNew("of-another-leader")).isFalse();
    assertThat(known.isNew("early")).isFalse();
  }

  @Test
  void makesRoomWhenItIsFullAndForgetsNothing() {
    known.under(FIRST);
    awaitFilled("probe");
    IntStream.range(0, 2_000)
        .mapToObj(i -> "job-" + i)
        .forEach(name -> {
          var _ = known.isNew(name);
          stored.add(name);
        });
    assertThat(IntStream.range(0, 1000).filter(i -> known.isNew("full-" + i)).count())
        .as("a full one is hardly ever sure")
        .isLessThan(300);
    readings.release(1000);
    await()
        .until(() ->
            IntStream.range(0, 100)
                    .filter(i -> known.isNew("roomy-" + System.nanoTime() + "-" + i))
                    .count()
                > 90);
    assertThat(stored).noneMatch(known::isNew);
  }
}

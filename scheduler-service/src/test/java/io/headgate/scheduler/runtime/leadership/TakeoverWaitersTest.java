package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TakeoverWaitersTest {
  private final TakeoverWaiters waiters = new TakeoverWaiters();
  private final List<String> resumed = new ArrayList<>();

  @Test
  void holdsCallsOnlyWhileTheReplicaIsAboutToLead() {
    assertThat(waiters.add(() -> resumed.add("a"))).isFalse();
    waiters.open();
    waiters.close();
    assertThat(waiters.add(() -> resumed.add("a"))).isFalse();
    assertThat(resumed).isEmpty();
  }

  @Test
  void releasesThemInOrderOnceTheOutcomeIsKnown() {
    waiters.open();
    Runnable gone = () -> resumed.add("gone");
    assertThat(waiters.add(() -> resumed.add("a"))).isTrue();
    assertThat(waiters.add(gone)).isTrue();
    assertThat(waiters.add(() -> resumed.add("b"))).isTrue();
    waiters.remove(gone);
    assertThat(resumed).isEmpty();
    waiters.close();
    assertThat(resumed).containsExactly("a", "b");
    waiters.close();
    assertThat(resumed).hasSize(2);
  }

  @Test
  void doesNotHoldCallsThatComeTooLate() {
    waiters.open();
    waiters.add(() -> resumed.add("again: " + waiters.add(() -> resumed.add("never"))));
    waiters.close();
    assertThat(resumed).containsExactly("again: false");
  }

  @Test
  void resumesTheOthersWhenOneFails() {
    waiters.open();
    waiters.add(() -> {
      throw new IllegalStateException("its stream broke");
    });
    waiters.add(() -> resumed.add("b"));
    waiters.close();
    assertThat(resumed).containsExactly("b");
  }
}

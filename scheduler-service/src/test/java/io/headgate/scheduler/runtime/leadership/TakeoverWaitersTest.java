package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TakeoverWaitersTest {
  private final TakeoverWaiters arrivals = new TakeoverWaiters();
  private final List<String> resumed = new ArrayList<>();

  @Test
  void holdsCallsOnlyWhileTheReplicaIsAboutToLead() {
    assertThat(arrivals.add(() -> resumed.add("a"))).isFalse();
    arrivals.open();
    arrivals.close();
    assertThat(arrivals.add(() -> resumed.add("a"))).isFalse();
    assertThat(resumed).isEmpty();
  }

  @Test
  void releasesThemInOrderOnceTheOutcomeIsKnown() {
    arrivals.open();
    Runnable gone = () -> resumed.add("gone");
    assertThat(arrivals.add(() -> resumed.add("a"))).isTrue();
    assertThat(arrivals.add(gone)).isTrue();
    assertThat(arrivals.add(() -> resumed.add("b"))).isTrue();
    arrivals.remove(gone);
    assertThat(resumed).isEmpty();
    arrivals.close();
    assertThat(resumed).containsExactly("a", "b");
    arrivals.close();
    assertThat(resumed).hasSize(2);
  }

  @Test
  void doesNotHoldCallsThatComeTooLate() {
    arrivals.open();
    arrivals.add(() -> resumed.add("again: " + arrivals.add(() -> resumed.add("never"))));
    arrivals.close();
    assertThat(resumed).containsExactly("again: false");
  }
}

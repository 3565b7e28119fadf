package io.headgate.scheduler.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/// Callers share statements, and each gets its own answer.
final class SharedLookupTest {
  private final List<Set<Integer>> asked = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch first = new CountDownLatch(1);
  private final CountDownLatch begun = new CountDownLatch(1);
  private final SharedLookup<Integer, String> lookup = new SharedLookup<>(this::look);

  /// Even numbers exist; the first statement takes until it may end; -1 breaks its statement.
  private Map<Integer, String> look(Set<Integer> keys) {
    asked.add(Set.copyOf(keys));
    begun.countDown();
    try {
      first.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    if (keys.contains(-1)) {
      throw new IllegalArgumentException("broken");
    }
    return keys.stream()
        .filter(key -> key % 2 == 0)
        .collect(Collectors.toMap(key -> key, key -> "found " + key));
  }

  private CompletableFuture<Optional<String>> find(int key) {
    CompletableFuture<Optional<String>> answer = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try {
        answer.complete(lookup.find(key));
      } catch (RuntimeException e) {
        answer.completeExceptionally(e);
      }
    });
    return answer;
  }

  @Test
  void joinsLookupsThatArriveDuringAStatement() throws InterruptedException {
    CompletableFuture<Optional<String>> alone = find(2);
    begun.await();
    List<CompletableFuture<Optional<String>>> others = new ArrayList<>();
    for (int key = 3; key < 53; key++) {
      others.add(find(key));
    }
    Awaitility.await().until(() -> lookup.waiting() == 50);
    first.countDown();
    assertThat(alone.join()).contains("found 2");
    for (int i = 0; i < others.size(); i++) {
      int key = i + 3;
      assertThat(others.get(i).join())
          .isEqualTo(key % 2 == 0 ? Optional.of("found " + key) : Optional.empty());
    }
    assertThat(asked).hasSize(2);
  }

  @Test
  void aFailureReachesAllLookupsOfItsStatementAndNoOthers() throws InterruptedException {
    CompletableFuture<Optional<String>> alone = find(4);
    begun.await();
    CompletableFuture<Optional<String>> broken = find(-1);
    CompletableFuture<Optional<String>> same = find(6);
    Awaitility.await().until(() -> lookup.waiting() == 2);
    first.countDown();
    assertThat(alone.join()).contains("found 4");
    assertThatThrownBy(broken::join).hasRootCauseMessage("broken");
    assertThatThrownBy(same::join).hasRootCauseMessage("broken");
    assertThat(lookup.find(6)).contains("found 6");
  }
}

package io.headgate.scheduler.store;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Looks things up by key for many callers with few statements: while one statement runs, the keys
/// of other callers gather for the next. A lone caller waits for no other. A result is never older
/// than its caller's request. Thread-safe.
final class SharedLookup<K, V> {
  private final Function<Set<K>, Map<K, V>> lookup;
  private final Semaphore turn = new Semaphore(1);
  private final ReentrantLock lock = new ReentrantLock();
  // Guarded by lock.
  private @Nullable Round gathering;

  private final class Round {
    private final Set<K> keys = new LinkedHashSet<>();
    private final CompletableFuture<Map<K, V>> found = new CompletableFuture<>();
  }

  /// @param lookup finds those of the keys that there are
  SharedLookup(Function<Set<K>, Map<K, V>> lookup) {
    this.lookup = lookup;
  }

  /// @throws RuntimeException as the statement threw it
  Optional<V> find(K key) {
    Round round;
    boolean begins;
    lock.lock();
    try {
      begins = gathering == null;
      round = gathering == null ? new Round() : gathering;
      gathering = round;
      round.keys.add(key);
    } finally {
      lock.unlock();
    }
    if (begins) {
      run(round);
    }
    try {
      return Optional.ofNullable(round.found.join().get(key));
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }

  /// Keys that gather for the next statement.
  int waiting() {
    lock.lock();
    try {
      return gathering == null ? 0 : gathering.keys.size();
    } finally {
      lock.unlock();
    }
  }

  private void run(Round round) {
    turn.acquireUninterruptibly();
    try {
      lock.lock();
      try {
        gathering = null;
      } finally {
        lock.unlock();
      }
      round.found.complete(lookup.apply(round.keys));
    } catch (RuntimeException | Error e) {
      round.found.completeExceptionally(e);
    } finally {
      turn.release();
    }
  }
}

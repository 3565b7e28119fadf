package io.headgate.scheduler.runtime.catalog;

import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Refreshes the watched catalogs from their services before a caller is refused on stale data.
/// Callers share rounds that begin at least [#APART] apart. So even a flood of wrong names costs
/// the other services at most twenty reads a second. Thread-safe.
public final class Refresher {
  private static final Logger LOG = LoggerFactory.getLogger(Refresher.class);

  static final Duration APART = Duration.ofMillis(50);

  /// Time limit of a round; the services answer in milliseconds.
  static final Duration AT_MOST = Duration.ofSeconds(2);

  private final Map<String, CatalogSource.Watch> watches;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition over = lock.newCondition();
  // All guarded by lock. The round that has not begun yet, which may be joined.
  private @Nullable CompletableFuture<SortedSet<String>> next;
  private boolean running;
  private long begunNanos;

  /// @param watches by name of their source
  public Refresher(Map<String, CatalogSource.Watch> watches, TimeSource time) {
    this.watches = new LinkedHashMap<>(watches);
    this.time = time;
    this.begunNanos = time.monotonicNanos() - APART.toNanos();
  }

  /// Waits for a round that begins after the call.
  ///
  /// @return names of the sources that did not answer
  public SortedSet<String> refresh() throws InterruptedException {
    CompletableFuture<SortedSet<String>> round;
    boolean mine = false;
    lock.lock();
    try {
      if (next == null) {
        next = new CompletableFuture<>();
        mine = true;
      }
      round = next;
    } finally {
      lock.unlock();
    }
    if (mine) {
      // On a thread of its own, so that a caller that leaves does not cancel the round for others.
      Thread.ofVirtual().name("catalog-refresh").start(() -> make(round));
    }
    try {
      // The round before may have to end first.
      return round.get(AT_MOST.multipliedBy(2).toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("the other services were not asked for news in time", e);
      return new TreeSet<>(watches.keySet());
    }
  }

  private void make(CompletableFuture<SortedSet<String>> round) {
    try {
      begin();
      round.complete(readAll());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      round.completeExceptionally(e);
    } catch (RuntimeException | Error e) {
      round.completeExceptionally(e);
    } finally {
      end();
    }
  }

  private void begin() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (running) {
        over.await();
      }
      running = true;
      long left = begunNanos + APART.toNanos() - time.monotonicNanos();
      while (left > 0) {
        left = over.awaitNanos(left);
      }
      begunNanos = time.monotonicNanos();
      next = null;
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      running = false;
      over.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Side by side, so that a service that hangs does not use up the other's time.
  private SortedSet<String> readAll() {
    Map<String, CompletableFuture<Boolean>> answers = new HashMap<>();
    watches.forEach((name, watch) -> {
      CompletableFuture<Boolean> answer = new CompletableFuture<>();
      answers.put(name, answer);
      Thread.ofVirtual()
          .name("catalog-refresh-" + name)
          .start(() -> answer.complete(answers(name, watch)));
    });
    SortedSet<String> silent = new TreeSet<>();
    answers.forEach((name, answer) -> {
      if (!answer.join()) {
        silent.add(name);
      }
    });
    return silent;
  }

  private static boolean answers(String name, CatalogSource.Watch watch) {
    try {
      watch.refresh(AT_MOST);
      return true;
    } catch (RuntimeException e) {
      LOG.warn("cannot ask {} for news: {}", name, e.toString());
      return false;
    }
  }
}

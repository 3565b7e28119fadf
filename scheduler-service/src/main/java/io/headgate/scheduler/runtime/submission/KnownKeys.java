package io.headgate.scheduler.runtime.submission;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.StoredKeys;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells which keys the database certainly does not have, so that hardly any submission has to ask
/// it: a Bloom filter of what was there when this replica began to lead, and of everything that
/// came since. Until it is filled, in the background, and whenever it is not sure, nothing is
/// certain. Thread-safe.
public final class KnownKeys implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KnownKeys.class);

  private static final double UNSURE = 0.01;

  /// Takes 1.2 MB.
  private static final int ROOM = 1_000_000;

  private static final Duration RETRY = Duration.ofSeconds(10);

  /// What stands for an id.
  ///
  /// @param owner within which the id is one thing only
  public static String key(String owner, String id) {
    return owner + '\0' + id;
  }

  private final String what;
  private final StoredKeys source;
  private final Duration settled;
  private final int room;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable Filter current;
  private volatile @Nullable Filter next;
  private volatile @Nullable Leadership leadership;

  private static final class Filter {
    private final BloomFilter<CharSequence> bits;
    private final long room;
    private final AtomicLong held = new AtomicLong();
    private final AtomicBoolean isBeingReplaced = new AtomicBoolean();

    Filter(long room) {
      this.bits = BloomFilter.create(Funnels.stringFunnel(UTF_8), room, UNSURE);
      this.room = room;
    }

    boolean add(String key) {
      boolean isNew = bits.put(key);
      if (isNew) {
        held.incrementAndGet();
      }
      return isNew;
    }

    boolean isFull() {
      return held.get() > room;
    }
  }

  /// @param what the keys are of, for the log
  public KnownKeys(String what, StoredKeys source) {
    this(what, source, TakenSubmissions.REMEMBERED, ROOM);
  }

  /// @param settled after it, a key that was asked for before is durable or never will be
  /// @param room for so many keys beyond twice as many as there are
  KnownKeys(String what, StoredKeys source, Duration settled, int room) {
    this.what = what;
    this.source = source;
    this.settled = settled;
    this.room = room;
  }

  /// Forgets what was known under another leadership, under which others may have come. Called
  /// before the first key of a leadership is asked for.
  public void under(Leadership now) {
    if (isUnder(now)) {
      return;
    }
    synchronized (this) {
      if (!isUnder(now)) {
        current = null;
        next = null;
        // Nobody under this leadership has asked for a key yet.
        fill(Duration.ZERO);
        leadership = now;
      }
    }
  }

  /// Whether what is known is known under this leadership.
  public boolean isUnder(Leadership now) {
    return now.equals(leadership);
  }

  /// Whether the key is certainly not in the database, nor about to be. From now on it is known.
  public boolean isNew(String key) {
    // Before the other, which it becomes.
    Filter filling = next;
    if (filling != null) {
      filling.add(key);
    }
    Filter filled = current;
    if (filled == null || !filled.add(key)) {
      return false;
    }
    if (filled.isFull() && filled.isBeingReplaced.compareAndSet(false, true)) {
      // The database is asked how much room it takes, which whoever asks here does not wait for.
      Thread.ofVirtual().name("known-" + what).start(() -> replace(filled));
    }
    return true;
  }

  /// A full filter is not wrong, only ever less sure.
  private synchronized void replace(Filter filled) {
    if (next == null && current == filled) {
      fill(settled);
    }
  }

  /// @param wait so that all are durable that asked before there was this filter
  private void fill(Duration wait) {
    Filter filling = new Filter(room + 2 * Math.max(0, source.count()));
    next = filling;
    Thread.ofVirtual().name("known-" + what).start(() -> fill(filling, wait));
  }

  private void fill(Filter filling, Duration wait) {
    try {
      Duration pause = wait;
      while (!closed.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
        try {
          source.forEach(filling::add);
          LOG.debug("{} {} are known", filling.held, what);
          become(filling);
          return;
        } catch (RuntimeException e) {
          LOG.debug("{} are not known yet", what, e);
          pause = RETRY;
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("stopped while {} became known", what, e);
    }
  }

  private synchronized void become(Filter filled) {
    if (next == filled) {
      current = filled;
      next = null;
    }
  }

  /// Nothing is filled any more.
  @Override
  public void close() {
    closed.countDown();
  }
}

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

/// Tells which keys are certainly not in the database, so that few submissions query it. It is a
/// Bloom filter of all keys stored when this replica began to lead, and of all keys since. The
/// filter fills in the background; until then, and on every positive match, no key is certainly
/// new. Thread-safe.
public final class KnownKeys implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KnownKeys.class);

  private static final double UNSURE = 0.01;

  /// A filter for this many keys takes 1.2 MB.
  private static final int ROOM = 1_000_000;

  private static final Duration RETRY = Duration.ofSeconds(10);

  /// The key of an id.
  ///
  /// @param owner scope in which the id is unique
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

  /// @param what kind of the keys, for the log
  public KnownKeys(String what, StoredKeys source) {
    this(what, source, TakenSubmissions.REMEMBERED, ROOM);
  }

  /// @param settled time after which every key asked for before is durable or never will be
  /// @param room capacity of the filter beyond twice the number of stored keys
  KnownKeys(String what, StoredKeys source, Duration settled, int room) {
    this.what = what;
    this.source = source;
    this.settled = settled;
    this.room = room;
  }

  /// Forgets the keys of another leadership, during which other replicas may have added keys.
  /// Called before the first key of a leadership is asked for.
  public void under(Leadership now) {
    if (isUnder(now)) {
      return;
    }
    synchronized (this) {
      if (!isUnder(now)) {
        current = null;
        next = null;
        // No key was asked for under this leadership, so there is none to wait for.
        fill(Duration.ZERO);
        leadership = now;
      }
    }
  }

  /// Whether the known keys belong to this leadership, or to a later one.
  public boolean isUnder(Leadership now) {
    Leadership present = leadership;
    return present != null && (now.equals(present) || now.isBefore(present));
  }

  /// Whether the key is certainly new: neither in the database nor in a submission in flight. False
  /// as long as the filter is not filled. Adds the key.
  public boolean isNew(String key) {
    // First the filter being filled, because it may replace the current one between the two
    // additions.
    Filter filling = next;
    if (filling != null) {
      filling.add(key);
    }
    Filter filled = current;
    if (filled == null || !filled.add(key)) {
      return false;
    }
    if (filled.isFull() && filled.isBeingReplaced.compareAndSet(false, true)) {
      // Sizing the new filter queries the database, and the caller must not wait for that.
      Thread.ofVirtual().name("known-" + what).start(() -> replace(filled));
    }
    return true;
  }

  /// Starts a larger filter. A full filter stays correct; only its false positives increase.
  private synchronized void replace(Filter filled) {
    if (next == null && current == filled) {
      fill(settled);
    }
  }

  /// @param wait time until every key asked for before this filter existed is durable or never will
  ///   be
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

  /// Stops filling filters.
  @Override
  public void close() {
    closed.countDown();
  }
}

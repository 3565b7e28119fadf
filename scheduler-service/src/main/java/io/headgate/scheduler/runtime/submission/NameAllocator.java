package io.headgate.scheduler.runtime.submission;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.NameCounter;
import io.headgate.scheduler.runtime.record.NameLookup;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Allocates the names of new jobs. A requested name is reserved before the lookup and until its
/// job is durable, so of two concurrent requests only one gets it. A generated name is a prefix and
/// a number. The number exceeds every number that the prefix ever had, generated or requested.
/// Thread-safe.
public final class NameAllocator {
  /// A name with a longer number does not move the counter of its prefix.
  private static final Pattern NUMBERED = Pattern.compile("(.+)-([0-9]{1,9})");

  /// Longest prefix that fits into 63 characters before a hyphen and a number of 9 digits.
  private static final int PREFIX_LENGTH = 53;

  private final NameLookup reader;
  private final KnownKeys known;
  private final Set<JobName> reserved = ConcurrentHashMap.newKeySet();
  private final Object lock = new Object();
  // Guarded by lock.
  private final Map<Prefix, Long> last = new HashMap<>();
  private @Nullable Leadership leadership;

  private record Prefix(TenantId tenant, String text) {
    static Prefix of(TenantId tenant, String text) {
      return new Prefix(
          tenant, text.length() > PREFIX_LENGTH ? text.substring(0, PREFIX_LENGTH) : text);
    }
  }

  /// @param known the known names; the reader looks up only names that may be taken
  public NameAllocator(NameLookup reader, KnownKeys known) {
    this.reader = reader;
    this.known = known;
  }

  /// Forgets the counters of another leadership, because another replica may have advanced them. An
  /// earlier leadership than the present one changes nothing: its caller read it before a
  /// take-over.
  ///
  /// @throws WouldBlockException the leadership is new, and the thread must not block
  public void under(Leadership now, CallerThread thread) {
    if (isUnder(now)) {
      return;
    }
    thread.demandMayBlock();
    known.under(now);
    synchronized (lock) {
      if (!isAtOrBefore(now)) {
        leadership = now;
        last.clear();
      }
    }
  }

  private boolean isUnder(Leadership now) {
    synchronized (lock) {
      return isAtOrBefore(now) && known.isUnder(now);
    }
  }

  private boolean isAtOrBefore(Leadership now) {
    Leadership present = leadership;
    return present != null && (now.equals(present) || now.isBefore(present));
  }

  /// A name, and the counter to store with it.
  public record Allocation(JobName name, Optional<NameCounter> counter) {}

  /// Reserves a requested name; empty: it is taken. The caller must [release][#release] it once its
  /// job is durable or has failed. If the database fails, the name is not reserved, so that a retry
  /// can get it.
  ///
  /// @throws WouldBlockException the database must decide, and the thread must not block; the name
  ///   is not reserved
  public Optional<Allocation> exact(JobName name, CallerThread thread) {
    if (!reserved.add(name)) {
      return Optional.empty();
    }
    boolean isAllocated = false;
    try {
      if (!isNew(name)) {
        thread.demandMayBlock();
        if (reader.isTaken(name)) {
          return Optional.empty();
        }
      }
      Optional<NameCounter> counter = counter(name);
      counter.ifPresent(number -> count(prefix(number), number.last(), thread));
      isAllocated = true;
      return Optional.of(new Allocation(name, counter));
    } finally {
      if (!isAllocated) {
        release(name);
      }
    }
  }

  private static Optional<NameCounter> counter(JobName name) {
    Matcher parts = NUMBERED.matcher(name.id());
    return parts.matches()
        ? Optional.of(
            new NameCounter(name.tenant(), parts.group(1), Long.parseLong(parts.group(2))))
        : Optional.empty();
  }

  private static Prefix prefix(NameCounter counter) {
    return new Prefix(counter.tenant(), counter.prefix());
  }

  /// Generates the next name with the prefix.
  ///
  /// @throws WouldBlockException the counter must be read from the database, and the thread must
  ///   not block
  public Allocation next(TenantId tenant, String prefix, CallerThread thread) {
    Prefix key = Prefix.of(tenant, prefix);
    long number = count(key, 0, thread);
    JobName name = new JobName(key.tenant(), key.text() + "-" + number);
    // Makes the name known, so that a later request for exactly this name looks it up.
    var _ = isNew(name);
    return new Allocation(name, Optional.of(new NameCounter(key.tenant(), key.text(), number)));
  }

  private boolean isNew(JobName name) {
    return known.isNew(KnownKeys.key(name.tenant().name(), name.id()));
  }

  /// Ends the reservation: the job of the name is durable or has failed.
  public void release(JobName name) {
    reserved.remove(name);
  }

  /// Advances the counter of the prefix.
  ///
  /// @param atLeast a number already in use; 0: the next free number is needed
  private long count(Prefix prefix, long atLeast, CallerThread thread) {
    synchronized (lock) {
      if (last.containsKey(prefix)) {
        return countOn(prefix, atLeast);
      }
    }
    thread.demandMayBlock();
    long stored = reader.lastNumber(prefix.tenant(), prefix.text());
    synchronized (lock) {
      last.merge(prefix, stored, Math::max);
      return countOn(prefix, atLeast);
    }
  }

  /// Requires the lock.
  private long countOn(Prefix prefix, long atLeast) {
    long newest = last.getOrDefault(prefix, 0L);
    long next = atLeast == 0 ? newest + 1 : Math.max(newest, atLeast);
    last.put(prefix, next);
    return next;
  }
}

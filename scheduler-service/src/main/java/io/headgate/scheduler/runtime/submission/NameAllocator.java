package io.headgate.scheduler.runtime.submission;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.NameCounter;
import io.headgate.scheduler.runtime.record.NameLookup;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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

  /// Forgets the counters of another leadership, because another replica may have advanced them.
  public void under(Leadership now) {
    known.under(now);
    synchronized (lock) {
      if (!now.equals(leadership)) {
        leadership = now;
        last.clear();
      }
    }
  }

  /// Whether the counters belong to this leadership.
  public boolean isUnder(Leadership now) {
    synchronized (lock) {
      return now.equals(leadership) && known.isUnder(now);
    }
  }

  /// A name, and the counter to store with it.
  public record Allocation(JobName name, Optional<NameCounter> counter) {}

  /// Reserves a requested name; empty: it is taken. The caller must [release][#release] it once its
  /// job is durable or has failed.
  public Optional<Allocation> exact(JobName name) {
    if (!reserved.add(name)) {
      return Optional.empty();
    }
    boolean isTaken = true;
    try {
      isTaken = !isNew(name) && reader.isTaken(name);
    } finally {
      if (isTaken) {
        reserved.remove(name);
      }
    }
    if (isTaken) {
      return Optional.empty();
    }
    return Optional.of(counted(name));
  }

  /// Reserves like [#exact], without a query; empty: the database must decide, or the name is
  /// reserved.
  public Optional<Allocation> exactAtOnce(JobName name) {
    if (!reserved.add(name)) {
      return Optional.empty();
    }
    Optional<NameCounter> counter = counter(name);
    if (!isNew(name)
        || (counter.isPresent()
            && countAtOnce(prefix(counter.get()), counter.get().last()).isEmpty())) {
      release(name);
      return Optional.empty();
    }
    return Optional.of(new Allocation(name, counter));
  }

  /// If the database fails, the reservation is released, so that a retry can get the name.
  private Allocation counted(JobName name) {
    Optional<NameCounter> counter = counter(name);
    try {
      counter.ifPresent(number -> count(prefix(number), number.last()));
      return new Allocation(name, counter);
    } catch (RuntimeException e) {
      release(name);
      throw e;
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
  public Allocation next(TenantId tenant, String prefix) {
    Prefix key = Prefix.of(tenant, prefix);
    return numbered(key, count(key, 0));
  }

  /// Generates like [#next], without a query; empty: the counter must be read from the database.
  public Optional<Allocation> nextAtOnce(TenantId tenant, String prefix) {
    Prefix key = Prefix.of(tenant, prefix);
    OptionalLong number = countAtOnce(key, 0);
    return number.isPresent() ? Optional.of(numbered(key, number.getAsLong())) : Optional.empty();
  }

  private Allocation numbered(Prefix prefix, long number) {
    JobName name = new JobName(prefix.tenant(), prefix.text() + "-" + number);
    // Makes the name known, so that a later request for exactly this name looks it up.
    var _ = isNew(name);
    return new Allocation(
        name, Optional.of(new NameCounter(prefix.tenant(), prefix.text(), number)));
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
  private long count(Prefix prefix, long atLeast) {
    OptionalLong known = countAtOnce(prefix, atLeast);
    if (known.isPresent()) {
      return known.getAsLong();
    }
    long stored = reader.lastNumber(prefix.tenant(), prefix.text());
    synchronized (lock) {
      last.merge(prefix, stored, Math::max);
      return countOn(prefix, atLeast);
    }
  }

  /// Advances like [#count], without a query; empty: the counter must be read from the database.
  private OptionalLong countAtOnce(Prefix prefix, long atLeast) {
    synchronized (lock) {
      return last.containsKey(prefix)
          ? OptionalLong.of(countOn(prefix, atLeast))
          : OptionalLong.empty();
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

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

/// Gives new jobs their names. A name that was asked for is reserved from before it is looked up
/// until its job is durable, so of two that ask at once only one gets it. A made name is a prefix
/// and the next number after every number that the prefix ever had, by whatever way. Thread-safe.
public final class NameAllocator {
  /// A name with a longer number is nobody's next.
  private static final Pattern NUMBERED = Pattern.compile("(.+)-([0-9]{1,9})");

  /// What fits before a hyphen and a number of 9 digits in 63 characters.
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

  /// @param known of names, which are looked up through the reader if they may be taken
  public NameAllocator(NameLookup reader, KnownKeys known) {
    this.reader = reader;
    this.known = known;
  }

  /// Forgets what was counted under another leadership, which may have counted on.
  public void under(Leadership now) {
    known.under(now);
    synchronized (lock) {
      if (!now.equals(leadership)) {
        leadership = now;
        last.clear();
      }
    }
  }

  /// Whether it counts under this leadership.
  public boolean isUnder(Leadership now) {
    synchronized (lock) {
      return now.equals(leadership) && known.isUnder(now);
    }
  }

  /// A name and what is to be counted with it.
  public record Allocation(JobName name, Optional<NameCounter> counter) {}

  /// The name that was asked for; empty: it is taken. To be [released][#release] when its job is
  /// durable, or is not to be.
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

  /// The same without asking the database; empty: it would have to be asked.
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

  /// Without the database a reserved name may not be had, and then it is nobody's: whoever tries
  /// again has to get it.
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

  /// The next name with the prefix.
  public Allocation next(TenantId tenant, String prefix) {
    Prefix key = Prefix.of(tenant, prefix);
    return numbered(key, count(key, 0));
  }

  /// The same without asking the database; empty: it would have to be asked.
  public Optional<Allocation> nextAtOnce(TenantId tenant, String prefix) {
    Prefix key = Prefix.of(tenant, prefix);
    OptionalLong number = countAtOnce(key, 0);
    return number.isPresent() ? Optional.of(numbered(key, number.getAsLong())) : Optional.empty();
  }

  private Allocation numbered(Prefix prefix, long number) {
    JobName name = new JobName(prefix.tenant(), prefix.text() + "-" + number);
    // Who asks for exactly this one later has to find it.
    var _ = isNew(name);
    return new Allocation(
        name, Optional.of(new NameCounter(prefix.tenant(), prefix.text(), number)));
  }

  private boolean isNew(JobName name) {
    return known.isNew(KnownKeys.key(name.tenant().name(), name.id()));
  }

  /// Its job is durable, or is not to be.
  public void release(JobName name) {
    reserved.remove(name);
  }

  /// Counts on.
  ///
  /// @param atLeast a number that was given out; 0: give out the next
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

  /// The same; empty: the database would have to be asked.
  private OptionalLong countAtOnce(Prefix prefix, long atLeast) {
    synchronized (lock) {
      return last.containsKey(prefix)
          ? OptionalLong.of(countOn(prefix, atLeast))
          : OptionalLong.empty();
    }
  }

  /// The lock is held.
  private long countOn(Prefix prefix, long atLeast) {
    long newest = last.getOrDefault(prefix, 0L);
    long next = atLeast == 0 ? newest + 1 : Math.max(newest, atLeast);
    last.put(prefix, next);
    return next;
  }
}

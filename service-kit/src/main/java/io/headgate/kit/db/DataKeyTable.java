package io.headgate.kit.db;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.seal.DataKey;
import io.headgate.kit.seal.DataKeys;
import io.headgate.kit.seal.EncryptionKey;
import io.headgate.kit.seal.KeyFile;
import io.headgate.kit.seal.KeyMissingException;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record3;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The data keys of a schema in its table `data_key`, each encrypted by a key-encryption key of the
/// file. A process seals under a data key of its own, which no other process uses to seal, so that
/// its count of sealed values is the key's. It has a connection of its own, because values are
/// sealed and opened inside of transactions that hold the others. Thread-safe.
///
/// The schema of the service has the table:
///
/// ```sql
/// create table data_key (
///   id         bigint primary key,
///   wrapped    bytea not null,
///   wrapped_by text not null,
///   retired    boolean not null default false,
///   created_at timestamptz not null default clock_timestamp()
/// );
/// ```
public final class DataKeyTable implements DataKeys {
  /// Time until a process notices that a rotation retired its data key.
  static final Duration CHECKED_EVERY = Duration.ofMinutes(1);

  /// For how long a key that is missing is not looked for again. Values come by thousands.
  static final Duration MISSING_FOR = Duration.ofSeconds(1);

  /// Bounds the memory for ids that values name and no data key has.
  private static final int MAX_MISSING = 10_000;

  static final Table<Record> TABLE = table(name("data_key"));
  static final Field<Long> ID = field(name("id"), Long.class);
  static final Field<byte[]> WRAPPED = field(name("wrapped"), byte[].class);
  static final Field<String> WRAPPED_BY = field(name("wrapped_by"), String.class);
  static final Field<Boolean> RETIRED = field(name("retired"), Boolean.class);
  private static final Field<Object> CREATED_AT = field(name("created_at"));

  private static final Logger LOG = LoggerFactory.getLogger(DataKeyTable.class);

  private final DSLContext jooq;
  private final String schema;
  private final KeyFile file;
  private final TimeSource time;
  private final long maxSealed;
  private final Map<Long, DataKey> known = new ConcurrentHashMap<>();
  private final Map<Long, Missing> missing = new ConcurrentHashMap<>();
  private final ReentrantLock renewing = new ReentrantLock();
  private final AtomicBoolean checking = new AtomicBoolean();
  private final Executor checks;
  private volatile List<EncryptionKey> encryptionKeys;
  private volatile Sealing sealing;
  private volatile long checkedAt;

  /// The key that seals now.
  ///
  /// @param left values that it may still seal
  private record Sealing(DataKey key, AtomicLong left) {}

  /// A data key that was looked for in vain.
  ///
  /// @param why the key-encryption key is missing; empty: the data key is absent or was changed
  private record Missing(Optional<String> why, long atNanos) {}

  private DataKeyTable(Database database, KeyFile file, TimeSource time, Limits limits) {
    this.jooq =
        DSL.using(
            database.reserve("data-keys", 1, Map.of()),
            SQLDialect.POSTGRES,
            database.jooq().settings());
    this.schema = database.schema();
    this.file = file;
    this.time = time;
    this.maxSealed = limits.maxSealed();
    this.checks = limits.checks();
    this.encryptionKeys = file.read();
    this.checkedAt = time.monotonicNanos();
    this.sealing = opened();
  }

  /// The use of a data key.
  ///
  /// @param maxSealed values that it seals at most
  /// @param checks looks whether it was retired
  record Limits(long maxSealed, Executor checks) {
    /// Random nonces of 96 bits allow 2^32 values.
    static final Limits DEFAULTS = new Limits(1L << 28, Thread::startVirtualThread);
  }

  /// Reads the keys. The first start of an installation creates the file and a data key.
  ///
  /// @throws KeyMissingException if a data key was encrypted by a key that the file lacks
  public static DataKeyTable open(Database database, KeyFile file, TimeSource time) {
    return new DataKeyTable(database, file, time, Limits.DEFAULTS);
  }

  static DataKeyTable open(Database database, KeyFile file, TimeSource time, Limits limits) {
    return new DataKeyTable(database, file, time, limits);
  }

  /// The seal of a schema, with the keys of its table; see [#open].
  public static Seal seal(Database database, KeyFile file, TimeSource time) {
    return new Seal(database.schema(), open(database, file, time));
  }

  /// Reads all keys, and adds one for this process. In one transaction, so that of two processes
  /// with different files that start first at once, one refuses.
  private Sealing opened() {
    return jooq.transactionResult(inside -> {
      DSLContext dsl = inside.dsl();
      lock(dsl, schema, false);
      for (Record3<Long, byte[], String> row :
          dsl.select(ID, WRAPPED, WRAPPED_BY).from(TABLE).fetch()) {
        unwrap(row).ifPresent(key -> known.put(key.id(), key));
      }
      return new Sealing(insert(dsl, DataKey.random()), new AtomicLong(maxSealed));
    });
  }

  /// Excludes the other users of the table until the end of the transaction.
  ///
  /// @param shared whether others that share it may go on
  static void lock(DSLContext transaction, String schema, boolean shared) {
    transaction.fetch(
        "select pg_advisory_xact_lock%s(hashtextextended(?, 0))".formatted(shared ? "_shared" : ""),
        "headgate data keys of " + schema);
  }

  /// Id of the key-encryption key in force; empty before the first data key.
  static Optional<String> inForce(DSLContext dsl) {
    return dsl.select(WRAPPED_BY)
        .from(TABLE)
        .orderBy(CREATED_AT.desc())
        .limit(1)
        .fetchOptional(WRAPPED_BY);
  }

  @Override
  public DataKey forSealing() {
    Sealing now = sealing;
    if (now.left().decrementAndGet() < 0) {
      return renewed();
    }
    if (isCheckDue() && checking.compareAndSet(false, true)) {
      // Elsewhere, because a database that stands still must not hold back the caller.
      checks.execute(this::check);
    }
    return now.key();
  }

  private DataKey renewed() {
    renewing.lock();
    try {
      return sealing.left().get() < 0 ? seal(created(DataKey.random())) : sealing.key();
    } finally {
      renewing.unlock();
    }
  }

  /// Takes a new key if a rotation retired the present one.
  private void check() {
    renewing.lock();
    try {
      checkedAt = time.monotonicNanos();
      DataKey key = sealing.key();
      Optional<Boolean> retired =
          jooq.select(RETIRED).from(TABLE).where(ID.eq(key.id())).fetchOptional(RETIRED);
      if (retired.isEmpty()) {
        // A standby that missed the last commits took over. Values that this key seals must open.
        created(key);
      } else if (retired.get()) {
        seal(created(DataKey.random()));
      }
    } catch (CannotStartException | DataAccessException e) {
      // The file lacks the key, or cannot be read. All other processes can open what the present
      // key seals.
      LOG.error("values are sealed with the present data key still: {}", e.getMessage());
    } finally {
      renewing.unlock();
      checking.set(false);
    }
  }

  private boolean isCheckDue() {
    return time.monotonicNanos() - checkedAt >= CHECKED_EVERY.toNanos();
  }

  private DataKey seal(DataKey key) {
    // The caller that takes the key seals the first value.
    sealing = new Sealing(key, new AtomicLong(maxSealed - 1));
    return key;
  }

  private DataKey created(DataKey key) {
    return jooq.transactionResult(inside -> {
      lock(inside.dsl(), schema, true);
      return insert(inside.dsl(), key);
    });
  }

  private DataKey insert(DSLContext dsl, DataKey fresh) {
    Optional<String> inForce = inForce(dsl);
    EncryptionKey by =
        inForce.isPresent() ? encryptionKey(inForce.get()) : file.readOrCreate().getFirst();
    warnUnlessFirst(by);
    dsl.insertInto(TABLE, ID, WRAPPED, WRAPPED_BY)
        .values(fresh.id(), fresh.wrapped(by, schema), by.id())
        .execute();
    known.put(fresh.id(), fresh);
    return fresh;
  }

  @Override
  public Optional<DataKey> find(long id) {
    DataKey cached = known.get(id);
    if (cached != null) {
      return Optional.of(cached);
    }
    Missing before = missing.get(id);
    if (before != null && time.monotonicNanos() - before.atNanos() < MISSING_FOR.toNanos()) {
      before
          .why()
          .ifPresent(why -> {
            throw new KeyMissingException(why);
          });
      return Optional.empty();
    }
    // Another process has begun to seal under a key of its own.
    try {
      Optional<DataKey> found =
          jooq.select(ID, WRAPPED, WRAPPED_BY)
              .from(TABLE)
              .where(ID.eq(id))
              .fetchOptional()
              .flatMap(this::unwrap);
      found.ifPresentOrElse(key -> known.put(id, key), () -> notFound(id, Optional.empty()));
      return found;
    } catch (KeyMissingException e) {
      notFound(id, Optional.ofNullable(e.getMessage()));
      throw e;
    }
  }

  private void notFound(long id, Optional<String> why) {
    if (missing.size() >= MAX_MISSING) {
      missing.clear();
    }
    missing.put(id, new Missing(why, time.monotonicNanos()));
  }

  private Optional<DataKey> unwrap(Record3<Long, byte[], String> row) {
    Optional<DataKey> key =
        DataKey.unwrap(row.value1(), row.value2(), encryptionKey(row.value3()), schema);
    if (key.isEmpty()) {
      LOG.error(
          "{}.data_key {} was changed: values that it sealed do not open", schema, row.value1());
    }
    return key;
  }

  private EncryptionKey encryptionKey(String id) {
    Optional<EncryptionKey> present = find(encryptionKeys, id);
    if (present.isEmpty()) {
      encryptionKeys = read();
      present = find(encryptionKeys, id);
    }
    return present.orElseThrow(() -> missing(file, schema, id));
  }

  /// A file that cannot be read now is no other fault than one that lacks the key.
  private List<EncryptionKey> read() {
    try {
      return file.read();
    } catch (CannotStartException e) {
      throw new KeyMissingException(String.valueOf(e.getMessage()));
    }
  }

  /// A database from before a rotation puts a former key into force again, beside a file that
  /// begins with the new one. So does a rotation that was prepared and not finished.
  private void warnUnlessFirst(EncryptionKey inForce) {
    try {
      String first = file.read().stream().findFirst().map(EncryptionKey::id).orElse(inForce.id());
      if (!first.equals(inForce.id())) {
        LOG.warn(
            "{} is in force in the schema {}, but {} begins with {}: a rotation was prepared, or the"
                + " database is from before one. Run --rotate-encryption-key to put the first key"
                + " into force",
            inForce,
            schema,
            file.path(),
            first);
      }
    } catch (CannotStartException e) {
      LOG.warn("the order of the key-encryption keys is unknown: {}", e.getMessage());
    }
  }

  static Optional<EncryptionKey> find(List<EncryptionKey> keys, String id) {
    return keys.stream().filter(key -> key.id().equals(id)).findFirst();
  }

  static KeyMissingException missing(KeyFile file, String schema, String id) {
    return new KeyMissingException(
        "values in the schema %s are sealed with the key-encryption key %s, which %s does not have: "
                .formatted(schema, id, file.path())
            + "copy that file from another process of this service or from its backup; if it is"
            + " lost, start once with --replace-encryption-key");
  }
}

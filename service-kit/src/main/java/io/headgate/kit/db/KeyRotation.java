package io.headgate.kit.db;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.seal.DataKey;
import io.headgate.kit.seal.EncryptionKey;
import io.headgate.kit.seal.KeyFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jooq.DSLContext;

/// Changes the key-encryption key of a schema while the service's processes run. Only the data keys
/// are encrypted anew, so the sealed rows stay as they are. Each step leaves a usable state behind,
/// and a step that was interrupted is repeated by running the command again.
public final class KeyRotation {
  private final Database database;
  private final KeyFile file;

  public KeyRotation(Database database, KeyFile file) {
    this.database = database;
    this.file = file;
  }

  /// A finished rotation.
  ///
  /// @param key id of the key in force
  /// @param dataKeys number of data keys that it encrypts now
  public record Rotated(String key, int dataKeys) {}

  /// A column whose rows can be made anew.
  public record Renewable(String table, String column) {}

  /// Puts a new key first in the file, to be copied to other machines before it comes into force.
  /// Changes nothing if the first key is not in force yet.
  ///
  /// @return id of the new key
  public String prepare() {
    return alone(dsl -> prepared(dsl).id());
  }

  private EncryptionKey prepared(DSLContext dsl) {
    List<EncryptionKey> keys = file.read();
    Optional<String> inForce = DataKeyTable.inForce(dsl);
    if (inForce.isPresent()) {
      require(keys, inForce.get());
      if (!keys.getFirst().id().equals(inForce.get())) {
        return keys.getFirst();
      }
    }
    EncryptionKey fresh = EncryptionKey.random();
    List<EncryptionKey> next = new ArrayList<>(List.of(fresh));
    next.addAll(keys);
    file.write(next);
    return fresh;
  }

  /// Puts the prepared key into force, and prepares one if there is none: encrypts all data keys
  /// with it, and retires them, so that processes seal new rows under new ones.
  public Rotated rotate() {
    prepare();
    return alone(dsl -> {
      List<EncryptionKey> keys = file.read();
      EncryptionKey next = keys.getFirst();
      var rows =
          dsl.select(DataKeyTable.ID, DataKeyTable.WRAPPED, DataKeyTable.WRAPPED_BY)
              .from(DataKeyTable.TABLE)
              .fetch();
      for (var row : rows) {
        EncryptionKey by = require(keys, row.value3());
        // A data key that was changed stays as it is: it opens nothing under any key.
        byte[] wrapped =
            DataKey.unwrap(row.value1(), row.value2(), by, database.schema())
                .map(key -> key.wrapped(next, database.schema()))
                .orElse(row.value2());
        dsl.update(DataKeyTable.TABLE)
            .set(DataKeyTable.WRAPPED, wrapped)
            .set(DataKeyTable.WRAPPED_BY, next.id())
            .set(DataKeyTable.RETIRED, true)
            .where(DataKeyTable.ID.eq(row.value1()))
            .execute();
      }
      return new Rotated(next.id(), rows.size());
    });
  }

  /// Gives up all values whose key-encryption key is lost. Removes the data keys that no key of the
  /// file decrypts, and the rows of `renewable` that they sealed. The service makes those anew; all
  /// other such values stay unreadable. No process of the service may run.
  ///
  /// A file that is absent is more often in a directory that is not mounted than lost. So the
  /// operator confirms the loss with an empty file.
  ///
  /// @param further removes whatever else depends on a lost key, in the same transaction
  /// @return number of data keys that were given up
  /// @throws CannotStartException if data keys exist and the file is absent
  public int replace(List<Renewable> renewable, Consumer<DSLContext> further) {
    return alone(dsl -> {
      if (file.read().isEmpty()) {
        requireConfirmed(dsl);
        file.write(List.of(EncryptionKey.random()));
      }
      String[] ids = file.read().stream().map(EncryptionKey::id).toArray(String[]::new);
      int lost =
          dsl.deleteFrom(DataKeyTable.TABLE).where(DataKeyTable.WRAPPED_BY.notIn(ids)).execute();
      for (Renewable each : renewable) {
        dsl.deleteFrom(table(name(each.table())))
            .where(
                "{0} is not null and not exists ("
                    + "select from data_key where int8send(id) = substring({0} from 2 for 8))",
                field(name(each.table(), each.column())))
            .execute();
      }
      further.accept(dsl);
      return lost;
    });
  }

  private void requireConfirmed(DSLContext dsl) {
    if (!file.exists() && DataKeyTable.inForce(dsl).isPresent()) {
      throw new CannotStartException(
          "%1$s is absent: mount its directory, or put the file back; if it is lost, confirm that with an empty file (install -D -m 600 /dev/null %1$s) and run the command again"
              .formatted(file.path()));
    }
  }

  private EncryptionKey require(List<EncryptionKey> keys, String id) {
    return DataKeyTable.find(keys, id)
        .orElseThrow(() -> DataKeyTable.missing(file, database.schema(), id));
  }

  private <T> T alone(Function<DSLContext, T> work) {
    return database.transaction(
        Reach.EVERY_TENANT,
        dsl -> {
          DataKeyTable.lock(dsl, database.schema(), false);
          return work.apply(dsl);
        });
  }
}

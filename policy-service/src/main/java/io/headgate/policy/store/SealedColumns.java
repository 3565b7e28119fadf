package io.headgate.policy.store;

import io.headgate.kit.db.DataKeyTable;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.KeyRotation.Renewable;
import io.headgate.kit.db.OpenColumns;
import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.seal.EncryptionKey;
import io.headgate.kit.seal.KeyFile;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.seal.SealedPlace;
import io.headgate.kit.time.TimeSource;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/// The sealed columns of the schema, and how the values of earlier versions get there.
public final class SealedColumns {
  /// The rows that the service makes anew if they cannot be decrypted.
  public static final List<Renewable> RENEWABLE =
      List.of(
          new Renewable("signing_keys", "sealed_private"),
          new Renewable("service_secrets", "value"),
          new Renewable("request_log", "answer"));

  private static final int FORMER_ID_BYTES = 8;
  private static final String REMEDY = "start once with --replace-encryption-key";

  private SealedColumns() {}

  /// The seal of the schema, after it has sealed what earlier versions stored in another form.
  ///
  /// @throws CannotStartException if the file does not have the keys that the database needs
  public static Seal open(Database database, KeyFile file, TimeSource time) {
    if (file.read().isEmpty() && hasFormerSigningKeys(database)) {
      throw new CannotStartException(
          "signing keys in the database were encrypted with the key in %s, which is absent: put it"
                  .formatted(file.path())
              + " back, or "
              + REMEDY);
    }
    Seal seal = DataKeyTable.seal(database, file, time);
    sealOpenValues(database, seal, file);
    return seal;
  }

  private static boolean hasFormerSigningKeys(Database database) {
    return database
        .jooq()
        .fetchExists(DSL.table("signing_keys"), DSL.field("open_private").isNotNull());
  }

  /// Removes signing keys in the form of earlier versions, whose file is lost.
  public static void removeFormerSigningKeys(DSLContext sql) {
    sql.execute("delete from signing_keys where open_private is not null");
  }

  private static void sealOpenValues(Database database, Seal seal, KeyFile file) {
    OpenColumns values = new OpenColumns(database, seal);
    values.seal(
        new OpenColumns.Column(
            "vault_environment", List.of("tenant_id", "vault_id", "name"), "open_value", "value"));
    values.seal(new OpenColumns.Column("service_secrets", List.of("name"), "open_value", "value"));
    values.seal(
        new OpenColumns.Column(
            "request_log", List.of("caller", "method", "request_id"), "open_answer", "answer"));
    values.seal(
        new OpenColumns.Column(
            "signing_keys", List.of("signing_key_id"), "open_private", "sealed_private"),
        (stored, place) -> formerSigningKey(stored, place, file));
  }

  /// Decrypts version (1), id of the key (8), nonce (12), ciphertext with its tag.
  private static byte[] formerSigningKey(byte[] stored, SealedPlace place, KeyFile file) {
    String id = HexFormat.of().formatHex(Arrays.copyOfRange(stored, 1, 1 + FORMER_ID_BYTES));
    for (EncryptionKey key : file.read()) {
      if (key.id().equals(id)) {
        return key.decrypt(stored, 1 + FORMER_ID_BYTES, "signing_keys/" + place.row().getFirst())
            .orElseThrow(() -> new CannotStartException(place + " was changed; " + REMEDY));
      }
    }
    throw new CannotStartException(
        "%s was encrypted with the key-encryption key %s, which %s does not have: put the file back"
                .formatted(place, id, file.path())
            + " that belongs to this database, or "
            + REMEDY);
  }
}

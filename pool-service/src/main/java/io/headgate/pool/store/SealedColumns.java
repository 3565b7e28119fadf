package io.headgate.pool.store;

import io.headgate.kit.db.DataKeyTable;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.KeyRotation.Renewable;
import io.headgate.kit.db.OpenColumns;
import io.headgate.kit.seal.KeyFile;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.seal.SealedPlace;
import io.headgate.kit.time.TimeSource;
import io.headgate.pool.store.jooq.tables.records.ProviderSettingsRecord;
import java.util.List;

/// The sealed columns of the schema, and how the values of earlier versions get there.
public final class SealedColumns {
  /// The rows that the service makes anew if they cannot be decrypted.
  public static final List<Renewable> RENEWABLE =
      List.of(new Renewable("secrets", "value"), new Renewable("request_log", "answer"));

  private SealedColumns() {}

  /// The seal of the schema, after it has sealed what earlier versions stored in clear text.
  public static Seal open(Database database, KeyFile file, TimeSource time) {
    Seal seal = DataKeyTable.seal(database, file, time);
    OpenColumns values = new OpenColumns(database, seal);
    values.seal(
        new OpenColumns.Column(
            "provider_settings",
            List.of("tenant_id", "content_id", "pool_id", "key"),
            "open_value",
            "value"));
    values.seal(new OpenColumns.Column("secrets", List.of("use"), "open_value", "value"));
    values.seal(
        new OpenColumns.Column(
            "request_log", List.of("caller", "method", "request_id"), "open_answer", "answer"));
    return seal;
  }

  /// Where the value of a setting lies.
  static SealedPlace place(ProviderSettingsRecord row) {
    return SealedPlace.of(
        "provider_settings",
        "value",
        row.getTenantId(),
        Long.toString(row.getContentId()),
        row.getPoolId(),
        row.getKey());
  }
}

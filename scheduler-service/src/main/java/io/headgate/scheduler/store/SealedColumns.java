package io.headgate.scheduler.store;

import io.headgate.kit.db.DataKeyTable;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.KeyRotation.Renewable;
import io.headgate.kit.db.OpenColumns;
import io.headgate.kit.seal.KeyFile;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.seal.SealedPlace;
import io.headgate.kit.time.TimeSource;
import java.util.List;
import org.jooq.DSLContext;

/// The sealed columns of the schema, and how the values of earlier versions get there.
public final class SealedColumns {
  /// The rows that the scheduler makes anew if they cannot be decrypted.
  public static final List<Renewable> RENEWABLE =
      List.of(new Renewable("secret", "value"), new Renewable("catalog_entry", "document"));

  private static final String DOCUMENT = "document";
  private static final String OPEN_DOCUMENT = "open_document";

  private static final String TENANT = "select tenant from job where id = job_spec.job_id";
  private static final String SUBMITTER = "select submitter from job where id = job_spec.job_id";

  private SealedColumns() {}

  /// The seal of the schema, after it has sealed what earlier versions stored in clear text.
  public static Seal open(Database database, KeyFile file, TimeSource time) {
    Seal seal = DataKeyTable.seal(database, file, time);
    OpenColumns values = new OpenColumns(database, seal);
    values.seal(
        new OpenColumns.Column(
            "job_spec", List.of("job_id"), List.of(TENANT, SUBMITTER), OPEN_DOCUMENT, DOCUMENT));
    values.seal(
        new OpenColumns.Column("catalog_entry", List.of("source", "key"), OPEN_DOCUMENT, DOCUMENT));
    values.seal(new OpenColumns.Column("secret", List.of("name"), "open_value", "value"));
    return seal;
  }

  /// Makes the next leader take snapshots of all catalogs.
  public static void forgetCatalogs(DSLContext sql) {
    sql.execute("delete from catalog_source");
  }

  /// Where the specification of a job lies. It opens for its own tenant and submitter only, because
  /// the right to see it follows from these two.
  static SealedPlace ofJob(long id, String tenant, String submitter) {
    return SealedPlace.of("job_spec", DOCUMENT, Long.toString(id), tenant, submitter);
  }

  /// Where a part of a catalog lies.
  static SealedPlace ofCatalog(String source, String key) {
    return SealedPlace.of("catalog_entry", DOCUMENT, source, key);
  }
}

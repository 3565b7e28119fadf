package io.headgate.kit.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import java.util.List;
import java.util.Set;
import org.jooq.Record;

/// Rules that each table of a service's schema keeps, read from PostgreSQL's catalog. A new table
/// that breaks one fails the test.
public final class SchemaRules {
  private static final Set<String> TENANT_COLUMNS = Set.of("tenant", "tenant_id", "chain");

  private static final String TABLES =
      """
      select c.relname as name, c.relrowsecurity as secured,
        (select count(*) from pg_policy p where p.polrelid = c.oid) as policies,
        (select string_agg(a.attname, ',') from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
      from pg_class c
      where c.relnamespace = ?::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      order by 1\
      """;

  private static final String RIGHTS =
      """
      select c.relname as name, r.right_name as may
      from pg_class c, unnest(array['TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN']) r(right_name)
      where c.relnamespace = ?::regnamespace and c.relkind in ('r', 'p', 'v')
        and has_table_privilege(?, c.oid, r.right_name)\
      """;

  private static final String OWNED =
      """
      select relname as name from pg_class c join pg_roles r on r.oid = c.relowner
      where r.rolname = ? union all
      select proname from pg_proc p join pg_roles r on r.oid = p.proowner where r.rolname = ?\
      """;

  private static final String DEFINERS =
      """
      select proname as name, coalesce(array_to_string(proconfig, ','), '') as settings
      from pg_proc where pronamespace = ?::regnamespace and prosecdef\
      """;

  private final DatabaseConfig config;

  /// @param config of a migrated database
  public SchemaRules(DatabaseConfig config) {
    this.config = config;
  }

  private List<Record> rows(String query, Object... binds) {
    try (Database owner = Database.open(config.asOwner())) {
      return List.copyOf(owner.jooq().fetch(query, binds));
    }
  }

  /// Each table that names a tenant has row-level security and a policy.
  ///
  /// @param shared tables without rows of tenants; every other table must be secured
  public void everyTableOfTenantsIsSecured(Set<String> shared) {
    for (Record table : rows(TABLES, config.schema())) {
      String name = table.get("name", String.class);
      boolean namesTenant =
          List.of(table.get("columns", String.class).split(",")).stream()
              .anyMatch(TENANT_COLUMNS::contains);
      boolean secured =
          table.get("secured", Boolean.class) && table.get("policies", Long.class) > 0;
      assertThat(secured)
          .as("table %s has row-level security, or is shared and names no tenant", name)
          .isEqualTo(namesTenant || !shared.contains(name));
    }
  }

  /// The service's role owns nothing, and may do nothing with a table but read and write rows.
  public void theServiceOwnsNothing() {
    assertThat(rows(RIGHTS, config.schema(), config.user())).isEmpty();
    assertThat(rows(OWNED, config.user(), config.user())).isEmpty();
  }

  /// Functions that run as the owner look up tables in the schema alone, and in the caller's
  /// temporary ones last.
  public void functionsOfTheOwnerAreNotTricked() {
    for (Record function : rows(DEFINERS, config.schema())) {
      assertThat(function.get("settings", String.class))
          .as("function %s", function.get("name"))
          .isEqualTo("search_path=" + config.schema() + ", pg_temp");
    }
  }
}

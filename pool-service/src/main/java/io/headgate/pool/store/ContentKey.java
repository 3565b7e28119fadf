package io.headgate.pool.store;

import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;

/// Identifies one stored content.
record ContentKey(String tenant, long content) {

  /// Selects the rows of a table that belong to given contents.
  @FunctionalInterface
  interface Filter {
    Condition of(Field<String> tenant, Field<Long> content);
  }

  Filter filter() {
    return (tenantField, contentField) -> tenantField.eq(tenant).and(contentField.eq(content));
  }

  static ContentKey of(Record row, Field<String> tenant, Field<Long> content) {
    return new ContentKey(row.get(tenant), row.get(content));
  }
}

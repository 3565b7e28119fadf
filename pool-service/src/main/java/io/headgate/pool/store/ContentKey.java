package io.headgate.pool.store;

import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;

/// Names one stored content.
record ContentKey(String tenant, long content) {

  /// Which rows of a table belong to the contents that are asked for.
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

/// PostgreSQL: connection pool, migrations, jOOQ, and an embedded server process.
@NullMarked
package io.headgate.kit.db;

import org.jspecify.annotations.NullMarked;

/// PostgreSQL: pool, migrations, jOOQ, and a server process of our own.
@NullMarked
package io.headgate.kit.db;

import org.jspecify.annotations.NullMarked;

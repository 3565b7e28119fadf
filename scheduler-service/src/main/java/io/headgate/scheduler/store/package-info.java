/// PostgreSQL storage of the leader and its readers. jOOQ and JDBC are used in no other package.
@NullMarked
package io.headgate.scheduler.store;

import org.jspecify.annotations.NullMarked;

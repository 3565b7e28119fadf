/// What the leader and its readers keep in PostgreSQL. jOOQ and JDBC stay in here.
@NullMarked
package io.headgate.scheduler.store;

import org.jspecify.annotations.NullMarked;

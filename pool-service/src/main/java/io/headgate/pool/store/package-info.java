/// The supply in PostgreSQL; jOOQ stays here.
@NullMarked
package io.headgate.pool.store;

import org.jspecify.annotations.NullMarked;

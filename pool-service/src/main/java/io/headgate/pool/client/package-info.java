/// Clients of other services.
@NullMarked
package io.headgate.pool.client;

import org.jspecify.annotations.NullMarked;

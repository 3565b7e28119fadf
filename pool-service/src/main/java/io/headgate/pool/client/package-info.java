/// What the service asks others.
@NullMarked
package io.headgate.pool.client;

import org.jspecify.annotations.NullMarked;

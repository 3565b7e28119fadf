/// The composition root of the service.
@NullMarked
package io.headgate.pool;

import org.jspecify.annotations.NullMarked;

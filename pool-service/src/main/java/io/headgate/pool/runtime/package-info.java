/// What the service does, over the ports that it owns.
@NullMarked
package io.headgate.pool.runtime;

import org.jspecify.annotations.NullMarked;

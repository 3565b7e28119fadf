/// The operations of the service, over the ports that it owns.
@NullMarked
package io.headgate.pool.runtime;

import org.jspecify.annotations.NullMarked;

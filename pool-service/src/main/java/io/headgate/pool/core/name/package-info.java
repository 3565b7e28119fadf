/// Ids.
@NullMarked
package io.headgate.pool.core.name;

import org.jspecify.annotations.NullMarked;

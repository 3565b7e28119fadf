/// Machines as the core sees them: their inventory and whether they take work.
@NullMarked
package io.headgate.scheduler.core.node;

import org.jspecify.annotations.NullMarked;

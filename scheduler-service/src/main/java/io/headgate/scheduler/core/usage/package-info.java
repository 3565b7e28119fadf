/// What is used, held and idle right now, per policy, pool, queue and node.
@NullMarked
package io.headgate.scheduler.core.usage;

import org.jspecify.annotations.NullMarked;

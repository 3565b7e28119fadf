/// The present usage, holds and idle capacity of policies, pools, queues and nodes.
@NullMarked
package io.headgate.scheduler.core.usage;

import org.jspecify.annotations.NullMarked;

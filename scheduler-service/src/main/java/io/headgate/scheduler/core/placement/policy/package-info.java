/// Rates packings: pure functions over the free capacity of a node and the expected mix of tasks.
///
/// This package knows no jobs, queues or nodes. Remembered results (of functions on a [Space]) are
/// kept beside their arguments.
@NullMarked
package io.headgate.scheduler.core.placement.policy;

import org.jspecify.annotations.NullMarked;

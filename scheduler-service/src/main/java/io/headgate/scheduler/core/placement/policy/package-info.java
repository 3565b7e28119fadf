/// What is good for a fleet: pure functions over what is free on a node and the mix of tasks that
/// is expected.
///
/// Nothing here knows of jobs, queues or nodes. The numbers that only save work (what a function
/// gave for a [Space]) are kept beside their arguments.
@NullMarked
package io.headgate.scheduler.core.placement.policy;

import org.jspecify.annotations.NullMarked;

/// Why a job waits, may not be submitted or was preempted: values with numbers, no text of a user
/// interface.
@NullMarked
package io.headgate.scheduler.core.explain;

import org.jspecify.annotations.NullMarked;

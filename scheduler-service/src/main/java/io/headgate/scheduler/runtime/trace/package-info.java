/// The trace of each job: ids that follow from the job, and the writer that makes spans of the
/// committed events.
@NullMarked
package io.headgate.scheduler.runtime.trace;

import org.jspecify.annotations.NullMarked;

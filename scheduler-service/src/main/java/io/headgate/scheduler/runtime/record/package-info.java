/// The durable state and the ports to it: jobs, attempts, events and batches as rows, the store
/// that commits them, and the reader and the history store that serve callers. Rows are immutable
/// values.
@NullMarked
package io.headgate.scheduler.runtime.record;

import org.jspecify.annotations.NullMarked;

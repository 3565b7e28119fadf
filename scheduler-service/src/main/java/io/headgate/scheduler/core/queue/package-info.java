/// The waiting jobs, and the order of their turns (O1-O5).
///
/// A queue is an equivalence class: all its jobs have the same size, and all jobs of one of its
/// lanes the same rights. So a pass looks at the head of each lane, whatever the number of jobs
/// behind it.
@NullMarked
package io.headgate.scheduler.core.queue;

import org.jspecify.annotations.NullMarked;

/// The decision loop: it takes a batch of commands from a bounded queue, decides a turn, and hands
/// on a step to be committed and acted on.
@NullMarked
package io.headgate.scheduler.runtime.loop;

import org.jspecify.annotations.NullMarked;

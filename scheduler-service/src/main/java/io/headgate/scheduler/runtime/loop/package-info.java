/// The decision loop. It takes a batch of commands from a bounded queue, decides a turn, and hands
/// on a step, which is committed and then acted on.
@NullMarked
package io.headgate.scheduler.runtime.loop;

import org.jspecify.annotations.NullMarked;

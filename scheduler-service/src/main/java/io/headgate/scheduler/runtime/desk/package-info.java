/// The leader's in-memory state ([LeaderState]) and the desks that change it. Each desk handles the
/// commands of one kind of caller and adds inputs, rows and dispatches to the current turn.
/// Confined to the loop.
@NullMarked
package io.headgate.scheduler.runtime.desk;

import org.jspecify.annotations.NullMarked;

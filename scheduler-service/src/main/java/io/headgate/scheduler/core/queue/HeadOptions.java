package io.headgate.scheduler.core.queue;

import java.util.function.BooleanSupplier;

/// The possibilities that a queue's candidate must have one of.
///
/// @param startable rights let it start
/// @param makesRoom it may make room in the limit that stops it
record HeadOptions(boolean startable, boolean makesRoom) {
  boolean areIn(Block gate, BooleanSupplier mayMakeRoom) {
    return (startable && gate == Block.NONE) || (makesRoom && mayMakeRoom.getAsBoolean());
  }
}

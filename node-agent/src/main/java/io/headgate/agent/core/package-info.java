/// The agent's decisions: it compares the attempts that should be on this machine with those that
/// are, and returns the effects.
///
/// Pure: values in, values out. Allowed imports are java.lang, java.util, java.time and the exact
/// GPU quantity.
@NullMarked
package io.headgate.agent.core;

import org.jspecify.annotations.NullMarked;

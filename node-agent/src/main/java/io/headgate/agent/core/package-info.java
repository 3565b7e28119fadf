/// What the agent decides: which attempts should be on this machine, which are, and what follows.
///
/// Pure: values in, values out. Allowed imports are java.lang, java.util, java.time and the exact
/// GPU quantity.
@NullMarked
package io.headgate.agent.core;

import org.jspecify.annotations.NullMarked;

/// The agent's event loop: it owns the reconciler, carries out its effects and writes the records.
/// Everything that may take long runs in the packages below, on threads of its own.
@NullMarked
package io.headgate.agent.runtime;

import org.jspecify.annotations.NullMarked;

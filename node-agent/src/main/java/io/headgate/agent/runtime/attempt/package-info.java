/// Takes one attempt from its assignment to its end: slices, supervisor, stop steps, suspension.
/// Where the attempt runs is behind [io.headgate.agent.runtime.attempt.WorkloadRuntime].
@NullMarked
package io.headgate.agent.runtime.attempt;

import org.jspecify.annotations.NullMarked;

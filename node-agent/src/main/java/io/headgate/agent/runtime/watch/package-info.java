/// Observes devices, device memory, job usage and progress while jobs run. Nothing here changes an
/// attempt: findings go to the loop as inputs.
@NullMarked
package io.headgate.agent.runtime.watch;

import org.jspecify.annotations.NullMarked;

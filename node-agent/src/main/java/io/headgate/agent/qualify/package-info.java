/// Experiments that show on a machine whether its GPUs keep what Headgate promises of them.
@NullMarked
package io.headgate.agent.qualify;

import org.jspecify.annotations.NullMarked;

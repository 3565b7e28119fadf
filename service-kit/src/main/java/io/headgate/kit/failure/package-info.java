/// Refusals as values, and the one place that turns failures into google.rpc.Status.
@NullMarked
package io.headgate.kit.failure;

import org.jspecify.annotations.NullMarked;

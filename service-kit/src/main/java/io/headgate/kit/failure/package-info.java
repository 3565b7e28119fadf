/// Refusals as values, and their conversion to google.rpc.Status.
@NullMarked
package io.headgate.kit.failure;

import org.jspecify.annotations.NullMarked;

/// The contract: messages to and from values, refusals to statuses.
@NullMarked
package io.headgate.pool.grpc;

import org.jspecify.annotations.NullMarked;

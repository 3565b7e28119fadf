/// The contract's endpoints. Protobuf stays in here.
@NullMarked
package io.headgate.scheduler.grpc;

import org.jspecify.annotations.NullMarked;

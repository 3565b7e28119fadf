/// Endpoints: the wire to core records and back. Protobuf types never leave.
@NullMarked
package io.headgate.policy.grpc;

import org.jspecify.annotations.NullMarked;

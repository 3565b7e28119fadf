/// The protobuf side of the client: the connection, retries, and the mapping between messages and
/// records. Not part of the public API; protobuf and gRPC types end here.
@NullMarked
package io.headgate.sdk.wire;

import org.jspecify.annotations.NullMarked;

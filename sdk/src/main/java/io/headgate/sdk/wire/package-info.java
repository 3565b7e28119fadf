/// The protobuf side of the client: the connection, retries, and the mapping between messages and
/// records. Not part of the public API, whose methods mention no protobuf or gRPC types.
@NullMarked
package io.headgate.sdk.wire;

import org.jspecify.annotations.NullMarked;

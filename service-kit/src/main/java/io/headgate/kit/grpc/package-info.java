/// The server: gRPC, JSON over HTTP, health and reflection on one port.
@NullMarked
package io.headgate.kit.grpc;

import org.jspecify.annotations.NullMarked;

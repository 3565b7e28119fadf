/// Outbound gRPC channels.
@NullMarked
package io.headgate.kit.client;

import org.jspecify.annotations.NullMarked;

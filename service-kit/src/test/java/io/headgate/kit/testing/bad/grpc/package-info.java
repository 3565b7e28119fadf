@NullMarked
package io.headgate.kit.testing.bad.grpc;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.headgate.kit.testing.good.grpc;

import org.jspecify.annotations.NullMarked;

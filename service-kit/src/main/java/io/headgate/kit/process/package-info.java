/// A service as its own process: arguments, exit status, messages to the operator.
@NullMarked
package io.headgate.kit.process;

import org.jspecify.annotations.NullMarked;

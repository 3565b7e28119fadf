/// A service as a process of its own: arguments, exit status, what people are told.
@NullMarked
package io.headgate.kit.process;

import org.jspecify.annotations.NullMarked;

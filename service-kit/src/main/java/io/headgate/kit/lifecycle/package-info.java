/// Ordered start and stop of a process, and its threads for heavy work.
@NullMarked
package io.headgate.kit.lifecycle;

import org.jspecify.annotations.NullMarked;

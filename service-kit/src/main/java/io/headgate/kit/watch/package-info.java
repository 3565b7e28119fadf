/// Versioned streams that lose nothing, repeat nothing and cost a bounded amount of memory.
@NullMarked
package io.headgate.kit.watch;

import org.jspecify.annotations.NullMarked;

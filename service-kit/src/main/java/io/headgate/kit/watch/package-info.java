/// Versioned streams without loss or repetition, in bounded memory.
@NullMarked
package io.headgate.kit.watch;

import org.jspecify.annotations.NullMarked;

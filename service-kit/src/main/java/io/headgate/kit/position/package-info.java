/// The place of a reader in a stream of versions.
@NullMarked
package io.headgate.kit.position;

import org.jspecify.annotations.NullMarked;

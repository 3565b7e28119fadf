/// A small server that speaks the contract: the far end of the wire for tests of the client and the
/// command line, failing on purpose where a test wants it to.
@NullMarked
package io.headgate.sdk.gate;

import org.jspecify.annotations.NullMarked;

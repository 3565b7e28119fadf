/// An in-process server that speaks the wire contract, for tests of the client and the command
/// line. It fails on purpose where a test asks for it.
@NullMarked
package io.headgate.sdk.gate;

import org.jspecify.annotations.NullMarked;

/// The frame around a command: its environment, the global flags, the session with a server, and
/// the interface through which other modules add commands.
@NullMarked
package io.headgate.sdk.cli.frame;

import org.jspecify.annotations.NullMarked;

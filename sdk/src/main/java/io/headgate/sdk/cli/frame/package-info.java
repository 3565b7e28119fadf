/// What a command of the command line is made of: its environment, the flags that all commands
/// share, the session with a server, and how other modules add commands.
@NullMarked
package io.headgate.sdk.cli.frame;

import org.jspecify.annotations.NullMarked;

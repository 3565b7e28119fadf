/// The `headgate` command: finds the command that was meant, runs it, shows what went wrong, and
/// ends with the exit code that says so.
@NullMarked
package io.headgate.sdk.cli;

import org.jspecify.annotations.NullMarked;

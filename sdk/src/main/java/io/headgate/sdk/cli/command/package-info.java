/// The registry of all commands, and the commands that need it or stand outside of all groups. Each
/// subpackage holds the commands of one purpose.
@NullMarked
package io.headgate.sdk.cli.command;

import org.jspecify.annotations.NullMarked;

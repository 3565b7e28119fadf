/// The commands, one class each, and the catalogue that finds them by name.
@NullMarked
package io.headgate.sdk.cli.command;

import org.jspecify.annotations.NullMarked;

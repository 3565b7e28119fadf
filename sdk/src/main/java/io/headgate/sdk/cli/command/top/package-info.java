/// `headgate top`: a live view of the whole screen. Data, state and lines are pure; one class
/// speaks to the terminal.
@NullMarked
package io.headgate.sdk.cli.command.top;

import org.jspecify.annotations.NullMarked;

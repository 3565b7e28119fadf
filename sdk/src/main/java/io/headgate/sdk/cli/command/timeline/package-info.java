/// `headgate timeline`: the holders of slices over time. Tracks, bars and their drawings are pure;
/// the command asks the server.
@NullMarked
package io.headgate.sdk.cli.command.timeline;

import org.jspecify.annotations.NullMarked;

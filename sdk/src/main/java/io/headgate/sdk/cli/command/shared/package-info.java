/// What several groups of commands use: lists of named objects, prompts, names of jobs' states.
@NullMarked
package io.headgate.sdk.cli.command.shared;

import org.jspecify.annotations.NullMarked;

/// Code that several groups of commands use: lists of named objects, prompts, texts of job states.
@NullMarked
package io.headgate.sdk.cli.command.shared;

import org.jspecify.annotations.NullMarked;

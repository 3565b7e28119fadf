/// Generates jOOQ classes from migrations at build time.
@NullMarked
package io.headgate.kit.db.codegen;

import org.jspecify.annotations.NullMarked;

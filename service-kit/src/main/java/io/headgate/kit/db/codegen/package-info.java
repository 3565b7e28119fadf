/// Generates jOOQ classes from migrations while building.
@NullMarked
package io.headgate.kit.db.codegen;

import org.jspecify.annotations.NullMarked;

/// Encryption of single values of a database: envelope encryption with keys from a file outside of
/// it. Knows no database.
@NullMarked
package io.headgate.kit.seal;

import org.jspecify.annotations.NullMarked;

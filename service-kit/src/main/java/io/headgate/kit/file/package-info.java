/// Operations on files.
@NullMarked
package io.headgate.kit.file;

import org.jspecify.annotations.NullMarked;

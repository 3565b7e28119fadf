/// Exact value types of the contract. They are hand-written here, in the one module that everybody
/// depends on, because four copies of one arithmetic would drift; they use nothing but `java.lang`.
@NullMarked
package io.headgate.type;

import org.jspecify.annotations.NullMarked;

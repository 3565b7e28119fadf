/// Tokens, principals, and the access rule that the contract states for each method.
@NullMarked
package io.headgate.kit.auth;

import org.jspecify.annotations.NullMarked;

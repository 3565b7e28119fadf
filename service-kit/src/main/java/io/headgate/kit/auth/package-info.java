/// Who calls: tokens, principals, and the rule that each method states in the contract.
@NullMarked
package io.headgate.kit.auth;

import org.jspecify.annotations.NullMarked;

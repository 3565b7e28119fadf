package io.headgate.kit.auth;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jwt.JWTClaimsSet;
import java.text.ParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes principals into tokens and reads them back; no other type knows the claims.
final class TokenFormat {
  static final JOSEObjectType TYPE = new JOSEObjectType("at+jwt");
  static final JWSAlgorithm ALGORITHM = JWSAlgorithm.ES256;

  private static final String ROLE = "role";
  private static final String TENANT = "tenant";
  private static final String NODE = "node";
  private static final String GROUPS = "groups";
  private static final String ATTRIBUTES = "attributes";

  private TokenFormat() {}

  static JWTClaimsSet.Builder claims(Principal principal) {
    JWTClaimsSet.Builder claims =
        new JWTClaimsSet.Builder()
            .subject(principal.subject())
            .claim(ROLE, principal.role().claim())
            .claim(GROUPS, principal.groups());
    if (principal.tenant() != null) {
      claims.claim(TENANT, principal.tenant());
    }
    if (principal.node() != null) {
      claims.claim(NODE, principal.node());
    }
    if (!principal.attributes().isEmpty()) {
      claims.claim(ATTRIBUTES, principal.attributes());
    }
    return claims;
  }

  /// @throws ParseException if a claim has the wrong form
  /// @throws IllegalArgumentException if the claims contradict each other
  static Principal principal(JWTClaimsSet claims) throws ParseException {
    String role = claims.getStringClaim(ROLE);
    String subject = claims.getSubject();
    List<String> groups = claims.getStringListClaim(GROUPS);
    if (role == null || subject == null) {
      throw new IllegalArgumentException("no role or no subject");
    }
    return new Principal(
        subject,
        Role.ofClaim(role)
            .orElseThrow(() -> new IllegalArgumentException("unknown role '" + role + "'")),
        claims.getStringClaim(TENANT),
        claims.getStringClaim(NODE),
        groups == null ? List.of() : groups,
        attributes(claims.getJSONObjectClaim(ATTRIBUTES)));
  }

  private static Map<String, String> attributes(@Nullable Map<String, Object> claim) {
    Map<String, String> attributes = new LinkedHashMap<>();
    if (claim != null) {
      claim.forEach((name, value) -> attributes.put(name, String.valueOf(value)));
    }
    return attributes;
  }
}

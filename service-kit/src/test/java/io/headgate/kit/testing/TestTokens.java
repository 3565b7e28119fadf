package io.headgate.kit.testing;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import io.headgate.kit.auth.KeySource;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Role;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenSigner;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.time.TimeSource;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// An issuer for tests: it signs tokens with a key of its own, and its verifier accepts them.
public final class TestTokens {
  private static final Duration LIFETIME = Duration.ofMinutes(10);

  private final ECKey key;
  private final TimeSource time;
  private final TokenSigner signer;

  private TestTokens(ECKey key, TimeSource time) {
    this.key = key;
    this.time = time;
    this.signer = new TokenSigner(key, TokenRules.DEFAULTS, time);
  }

  public static TestTokens create() {
    return create(TimeSource.system());
  }

  public static TestTokens create(TimeSource time) {
    try {
      return new TestTokens(new ECKeyGenerator(Curve.P_256).keyID("test").generate(), time);
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  public TokenVerifier verifier() {
    return new TokenVerifier(TokenRules.DEFAULTS, keys(), time);
  }

  public KeySource keys() {
    return id -> id.equals(key.getKeyID()) ? Optional.of(publicKey()) : Optional.empty();
  }

  /// The public key as a service would publish it.
  public String jwks() {
    return new JWKSet(key.toPublicJWK()).toString();
  }

  /// The key pair, for a test that forges.
  public ECKey key() {
    return key;
  }

  public String token(Principal principal) {
    return signer.sign(principal, LIFETIME).token();
  }

  public String operator() {
    return token(Principal.operator("operators/root"));
  }

  public String service(String name) {
    return token(Principal.service("services/" + name));
  }

  public String admin(String tenant) {
    return token(
        Principal.ofTenant(
            "tenants/" + tenant + "/users/admin", Role.TENANT_ADMIN, tenant, List.of()));
  }

  public String member(String tenant, String user, String... groups) {
    return token(
        Principal.ofTenant(
            "tenants/" + tenant + "/users/" + user, Role.MEMBER, tenant, List.of(groups)));
  }

  public String serviceAccount(String tenant, String name, String... groups) {
    return token(
        Principal.ofTenant(
            "tenants/" + tenant + "/serviceAccounts/" + name,
            Role.SERVICE_ACCOUNT,
            tenant,
            List.of(groups)));
  }

  public String node(String tenant, String node) {
    return node(tenant, node, Map.of());
  }

  public String node(String tenant, String node, Map<String, String> attributes) {
    return token(Principal.node("tenants/" + tenant + "/nodes/" + node, tenant, node, attributes));
  }

  private ECPublicKey publicKey() {
    try {
      return key.toECPublicKey();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }
}

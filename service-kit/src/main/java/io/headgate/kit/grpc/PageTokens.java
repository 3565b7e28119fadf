package io.headgate.kit.grpc;

import io.headgate.kit.failure.Refusal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Page tokens that continue only their own list. Each holds the position of its page's last item
/// and a MAC over the position *and* the query (method, tenant, filter). So a token can be neither
/// forged nor moved from one tenant's list to another's.
///
/// ```java
/// List<String> query = List.of("ListPools", tenant, view.name());
/// Optional<String> after = tokens.read(query, request.getPageToken());
/// List<Pool> page = store.poolsAfter(tenant, after.orElse(""), size);
/// if (page.size() == size) answer.setNextPageToken(tokens.issue(query, page.getLast().id()));
/// ```
///
/// All processes that serve the list share the key, and it outlives them: store it in the service's
/// schema. The key gives no access, only pages of lists that the bearer may read anyway.
/// Thread-safe.
public final class PageTokens {
  /// Length of a key, in bytes.
  public static final int KEY_LENGTH = 32;

  private static final String ALGORITHM = "HmacSHA256";
  private static final int CODE_LENGTH = 16;
  private static final int DEFAULT_SIZE = 100;

  private final SecretKeySpec key;

  public PageTokens(byte[] key) {
    if (key.length != KEY_LENGTH) {
      throw new IllegalArgumentException("the key has " + key.length + " bytes, not " + KEY_LENGTH);
    }
    this.key = new SecretKeySpec(key, ALGORITHM);
  }

  /// The page size for a request that asks for `requested` items; 0: the default.
  public static int size(int requested) {
    return requested == 0 ? DEFAULT_SIZE : requested;
  }

  /// The token of the page after `position`.
  ///
  /// @param query everything that decides the content and order of the list
  /// @param position of the last item sent
  public String issue(List<String> query, String position) {
    byte[] text = position.getBytes(StandardCharsets.UTF_8);
    ByteBuffer token = ByteBuffer.allocate(CODE_LENGTH + text.length);
    token.put(code(query, text)).put(text);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(token.array());
  }

  /// The position to continue after; empty for the first page.
  ///
  /// @param token of the request; empty for the first page
  /// @throws io.headgate.kit.failure.RefusalException INVALID_ARGUMENT with reason
  ///   INVALID_PAGE_TOKEN if it was not issued for this query
  public Optional<String> read(List<String> query, String token) {
    if (token.isEmpty()) {
      return Optional.empty();
    }
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(token);
    } catch (IllegalArgumentException e) {
      throw invalid();
    }
    if (bytes.length < CODE_LENGTH) {
      throw invalid();
    }
    byte[] text = Arrays.copyOfRange(bytes, CODE_LENGTH, bytes.length);
    byte[] code = Arrays.copyOf(bytes, CODE_LENGTH);
    if (!MessageDigest.isEqual(code, code(query, text))) {
      throw invalid();
    }
    return Optional.of(new String(text, StandardCharsets.UTF_8));
  }

  private static RuntimeException invalid() {
    return Refusal.invalidField(
            "INVALID_PAGE_TOKEN",
            "page_token",
            "it does not continue this list: send next_page_token of the page before, with the same"
                + " query, or leave it out to begin anew")
        .exception();
  }

  /// Each part is preceded by its length, so that different queries give different input.
  private byte[] code(List<String> query, byte[] position) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      for (String part : query) {
        byte[] text = part.getBytes(StandardCharsets.UTF_8);
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(text.length).flip());
        mac.update(text);
      }
      mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(-1).flip());
      return Arrays.copyOf(mac.doFinal(position), CODE_LENGTH);
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }
}

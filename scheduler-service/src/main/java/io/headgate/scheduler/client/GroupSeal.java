package io.headgate.scheduler.client;

import static com.hazelcast.internal.nio.IOUtil.compactOrClear;

import com.hazelcast.internal.networking.HandlerStatus;
import com.hazelcast.internal.networking.InboundHandler;
import com.hazelcast.internal.networking.OutboundHandler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Authenticates one connection between two schedulers of a group, below Hazelcast's own protocol.
/// The community edition has neither TLS nor authentication: without the seal, sixteen bytes from a
/// stranger end a member's process.
///
/// Each side first sends 32 random bytes. Both random numbers and the group's secret give a key for
/// each direction (HMAC-SHA-256). All further bytes travel in frames:
///
/// ```
/// length (4) | HMAC-SHA-256 of number, length and content (32) | content
/// ```
///
/// Frames are numbered from 0, so a frame can be neither altered, left out, repeated nor sent back.
/// No byte of a frame reaches Hazelcast before the whole frame is authenticated. The content is
/// readable on the wire; it says which schedulers exist.
///
/// Hazelcast's input thread calls the [Opener] and its output thread the [Sealer]. The handlers are
/// internal interfaces of Hazelcast, which its own TLS uses as well; `HostileGroupPortTest` notices
/// a change.
final class GroupSeal {
  static final int NONCE = 32;
  private static final int MAC = 32;
  private static final int HEADER = Integer.BYTES + MAC;

  /// Longest content of a frame, far below the buffers of a connection, which are 128 KiB.
  static final int CONTENT = 16 << 10;

  private static final String ALGORITHM = "HmacSHA256";

  private final byte[] secret;
  private final Proof proof;
  private final byte[] ownNonce = new byte[NONCE];
  private volatile byte @Nullable [] peerNonce;

  /// Receives the outcome of a connection's proof. Hazelcast's input thread calls it.
  interface Proof {
    /// The peer's first frame has proved that it knows the secret.
    void accepted();

    /// The peer sent what no member sends; its connection ends.
    void refused(String why);
  }

  /// @param secret which all members share
  GroupSeal(byte[] secret, Proof proof) {
    this.secret = secret.clone();
    this.proof = proof;
    new SecureRandom().nextBytes(ownNonce);
  }

  /// Authenticates received bytes.
  final class Opener extends InboundHandler<ByteBuffer, ByteBuffer> {
    private @Nullable FrameMac mac;
    private boolean proved;

    @Override
    public void handlerAdded() {
      initSrcBuffer();
    }

    @Override
    public HandlerStatus onRead() throws IOException {
      src.flip();
      try {
        if (mac == null) {
          if (src.remaining() < NONCE) {
            return HandlerStatus.CLEAN;
          }
          mac = readNonce();
        }
        return readFrames(mac);
      } finally {
        compactOrClear(src);
      }
    }

    private FrameMac readNonce() throws IOException {
      byte[] nonce = new byte[NONCE];
      src.get(nonce);
      if (MessageDigest.isEqual(nonce, ownNonce)) {
        throw refusal("the peer repeats this side's random number");
      }
      boolean caller = channel.isClientMode();
      FrameMac own = frameMac(caller, !caller, nonce);
      peerNonce = nonce;
      channel.outboundPipeline().wakeup();
      return own;
    }

    private HandlerStatus readFrames(FrameMac own) throws IOException {
      while (src.remaining() >= HEADER) {
        int length = src.getInt(src.position());
        if (length < 1 || length > CONTENT) {
          throw refusal("a frame of " + length + " bytes");
        }
        if (src.remaining() < HEADER + length) {
          return HandlerStatus.CLEAN;
        }
        if (dst.remaining() < length) {
          return HandlerStatus.DIRTY; // The next handler makes room.
        }
        byte[] sent = new byte[MAC];
        src.get(src.position() + Integer.BYTES, sent);
        ByteBuffer content = src.slice(src.position() + HEADER, length);
        if (!MessageDigest.isEqual(own.next(content.duplicate()), sent)) {
          throw refusal("the peer does not know the group's secret");
        }
        dst.put(content);
        src.position(src.position() + HEADER + length);
        if (!proved) {
          proved = true;
          proof.accepted();
        }
      }
      return HandlerStatus.CLEAN;
    }
  }

  private IOException refusal(String why) {
    proof.refused(why);
    return new IOException(why);
  }

  /// Puts sent bytes into frames.
  final class Sealer extends OutboundHandler<ByteBuffer, ByteBuffer> {
    private boolean greeted;
    private @Nullable FrameMac mac;

    @Override
    public void handlerAdded() {
      initDstBuffer();
    }

    @Override
    public HandlerStatus onWrite() {
      compactOrClear(dst);
      try {
        if (!greeted) {
          dst.put(ownNonce);
          greeted = true;
        }
        byte[] nonce = peerNonce;
        if (nonce == null) {
          return src.hasRemaining() ? HandlerStatus.BLOCKED : HandlerStatus.CLEAN;
        }
        if (mac == null) {
          mac = frameMac(channel.isClientMode(), channel.isClientMode(), nonce);
        }
        while (src.hasRemaining()) {
          int room = Math.min(CONTENT, dst.remaining() - HEADER);
          if (room < 1) {
            return HandlerStatus.DIRTY;
          }
          ByteBuffer content = src.slice(src.position(), Math.min(room, src.remaining()));
          dst.putInt(content.remaining());
          dst.put(mac.next(content.duplicate()));
          src.position(src.position() + content.remaining());
          dst.put(content);
        }
        return HandlerStatus.CLEAN;
      } finally {
        dst.flip();
      }
    }
  }

  /// @param caller whether this side opened the connection
  /// @param ofCaller whether the frames are those of the side that opened it
  private FrameMac frameMac(boolean caller, boolean ofCaller, byte[] peer) {
    try {
      Mac derive = Mac.getInstance(ALGORITHM);
      derive.init(new SecretKeySpec(secret, ALGORITHM));
      derive.update((byte) (ofCaller ? 1 : 2));
      derive.update(caller ? ownNonce : peer);
      derive.update(caller ? peer : ownNonce);
      Mac frames = Mac.getInstance(ALGORITHM);
      frames.init(new SecretKeySpec(derive.doFinal(), ALGORITHM));
      return new FrameMac(frames);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /// The codes of one direction's frames, in order.
  private static final class FrameMac {
    private final Mac mac;
    private long number;

    FrameMac(Mac mac) {
      this.mac = mac;
    }

    byte[] next(ByteBuffer content) {
      ByteBuffer head = ByteBuffer.allocate(Long.BYTES + Integer.BYTES);
      head.putLong(number++).putInt(content.remaining()).flip();
      mac.update(head);
      mac.update(content);
      return mac.doFinal();
    }
  }
}

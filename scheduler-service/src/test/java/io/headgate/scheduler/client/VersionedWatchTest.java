package io.headgate.scheduler.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.kit.position.WatchPosition;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Two streams of one watch: a followed stream, and short ones that ask for news.
final class VersionedWatchTest {
  /// A part of a step, as `content@VERSION`.
  private record Message(
      WatchPosition position, boolean snapshot, String content, boolean last, boolean breaks) {
    Message of(String incarnation) {
      return new Message(
          new WatchPosition(incarnation, position.version()), snapshot, content, last, breaks);
    }

    Message more() {
      return new Message(position, snapshot, content, false, breaks);
    }

    @Override
    public String toString() {
      return content + "@" + position.version();
    }
  }

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String FIRST = "first";
  private static final Message BREAK = new Message(WatchPosition.START, false, "", false, true);

  private final BlockingQueue<Message> followed = new LinkedBlockingQueue<>();
  private final List<WatchPosition> asked = new CopyOnWriteArrayList<>();
  private final List<WatchPosition> opened = new CopyOnWriteArrayList<>();
  private final List<String> handedOver = new CopyOnWriteArrayList<>();
  private volatile List<Message> answer = List.of();
  private final VersionedWatch<Message> watch =
      new VersionedWatch<>("things", at(5), new Streams(), step -> handedOver.add(step.toString()));

  private static WatchPosition at(long version) {
    return new WatchPosition(FIRST, version);
  }

  private static Message change(long version, String content) {
    return new Message(at(version), false, content, true, false);
  }

  private static Message snapshot(long version, String content) {
    return new Message(at(version), true, content, true, false);
  }

  private class Streams implements VersionedWatch.Stream<Message> {
    @Override
    public Iterator<Message> open(WatchPosition from, Optional<Duration> deadline) {
      if (deadline.isEmpty()) {
        opened.add(from);
        return new Followed();
      }
      asked.add(from);
      return answer.iterator();
    }

    @Override
    public WatchPosition position(Message step) {
      return step.position();
    }

    @Override
    public boolean isSnapshot(Message step) {
      return step.snapshot();
    }

    @Override
    public boolean isLast(Message part) {
      return part.last();
    }

    @Override
    public Message join(List<Message> parts) {
      Message last = parts.getLast();
      String content = parts.stream().map(Message::content).collect(Collectors.joining("+"));
      return new Message(last.position(), last.snapshot(), content, true, false);
    }
  }

  private final class Followed implements Iterator<Message> {
    @Override
    public boolean hasNext() {
      return true;
    }

    @Override
    public Message next() {
      try {
        Message next = followed.take();
        if (next.breaks()) {
          throw new IllegalStateException("cut");
        }
        return next;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("closed", e);
      }
    }
  }

  @BeforeEach
  void start() {
    watch.start();
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(opened).containsExactly(at(5)));
  }

  @AfterEach
  void close() {
    watch.close();
  }

  private void awaitHandedOver(String... steps) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(handedOver).containsExactly(steps));
  }

  private void refresh(Message... now) {
    answer = List.of(now);
    watch.refresh(PATIENCE);
  }

  @Test
  void bringsNewsBeforeTheFollowedStreamDoes() {
    refresh(change(7, "a"));
    assertThat(handedOver).containsExactly("a@7");
  }

  @Test
  void skipsWhatTheOtherStreamHasBroughtAlready() {
    refresh(change(7, "a"));
    followed.add(change(6, "b"));
    followed.add(change(7, "c"));
    followed.add(change(8, "d"));
    awaitHandedOver("a@7", "d@8");
    refresh(change(8, "e"));
    assertThat(handedOver).containsExactly("a@7", "d@8");
  }

  @Test
  void asksFromThePositionThatItHas() {
    refresh(change(7, "a"));
    refresh(change(9, "b"));
    assertThat(asked).containsExactly(at(5), at(7));
  }

  @Test
  void handsAStepOverWhenItsLastPartHasCome() {
    followed.add(snapshot(7, "a").more());
    followed.add(snapshot(7, "b").more());
    refresh(change(6, "meanwhile"));
    assertThat(handedOver).containsExactly("meanwhile@6");
    followed.add(snapshot(7, "c"));
    awaitHandedOver("meanwhile@6", "a+b+c@7");
    refresh(snapshot(8, "d").more(), snapshot(8, "e"));
    assertThat(handedOver).containsExactly("meanwhile@6", "a+b+c@7", "d+e@8");
  }

  @Test
  void forgetsAStepThatWasCutInTheMiddleAndResumesFromTheOneBefore() {
    followed.add(change(6, "known"));
    followed.add(snapshot(7, "a").more());
    followed.add(BREAK);
    followed.add(snapshot(8, "b").more());
    followed.add(snapshot(8, "c"));
    awaitHandedOver("known@6", "b+c@8");
    assertThat(opened).containsExactly(at(5), at(6));
    assertThatThrownBy(() -> refresh(snapshot(9, "half").more()))
        .isInstanceOf(java.util.NoSuchElementException.class);
    assertThat(handedOver).containsExactly("known@6", "b+c@8");
  }

  @Test
  void takesTheSnapshotOfARestoredServiceEvenIfItIsPastTheVersionSeen() {
    refresh(change(7, "a"));
    refresh(snapshot(9, "restored").of("second"));
    refresh(change(10, "b").of("second"));
    assertThat(handedOver).containsExactly("a@7", "restored@9", "b@10");
    assertThat(asked).containsExactly(at(5), at(7), new WatchPosition("second", 9));
    refresh(snapshot(2, "restored again").of("third"));
    assertThat(handedOver).endsWith("restored again@2");
  }

  @Test
  void takesNothingOfAnIncarnationThatTheOtherStreamHasLeft() {
    refresh(snapshot(3, "restored").of("second"));
    followed.add(change(8, "old"));
    followed.add(snapshot(9, "old"));
    followed.add(snapshot(3, "restored").of("second"));
    followed.add(change(4, "new").of("second"));
    awaitHandedOver("restored@3", "new@4");
  }

  @Test
  void takesTheOlderSnapshotOfAServiceThatWasRestoredWithItsIncarnation() {
    refresh(change(7, "a"));
    refresh(snapshot(3, "b"));
    assertThat(handedOver).containsExactly("a@7", "b@3");
    refresh(change(4, "c"));
    assertThat(handedOver).containsExactly("a@7", "b@3", "c@4");
  }

  @Test
  void doesNotGoBackToASnapshotThatTheOtherStreamHasPassed() {
    refresh(snapshot(7, "a"));
    followed.add(snapshot(7, "b"));
    followed.add(change(8, "c"));
    awaitHandedOver("a@7", "c@8");
  }

  @Test
  void saysWhenItCouldNotAsk() {
    VersionedWatch<Message> broken =
        new VersionedWatch<>(
            "things",
            at(5),
            new Streams() {
              @Override
              public Iterator<Message> open(WatchPosition from, Optional<Duration> deadline) {
                throw new IllegalStateException("away");
              }
            },
            _ -> {});
    assertThatThrownBy(() -> broken.refresh(Duration.ofSeconds(1))).hasMessage("away");
  }
}

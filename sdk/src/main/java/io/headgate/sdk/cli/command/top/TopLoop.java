package io.headgate.sdk.cli.command.top;

import io.headgate.sdk.cli.command.job.ExplanationText;
import io.headgate.sdk.cli.command.top.TopKeys.Action;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.cli.output.PrintableText;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.wire.EventMessages;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The live view. This thread owns the state and the screen. Two others read keys and ask the
/// server; they only put what they get into the inbox. So a server that does not answer delays no
/// key.
final class TopLoop {
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(200);
  private static final Duration STALE_AFTER = Duration.ofSeconds(4);

  /// Lines of a screen that no table has: header, footer, column names and events.
  private static final int OTHER_LINES = 6;

  private final Invocation invocation;
  private final Output output;
  private final TopFetch fetch;
  private final BlockingQueue<News> inbox = new LinkedBlockingQueue<>();
  private final BlockingQueue<Runnable> errands = new LinkedBlockingQueue<>();
  private volatile TopFetch.Question question;
  private volatile boolean isOver;
  private TopState state = TopState.FIRST;
  private TopData data;
  private String trouble = "";

  private sealed interface News {
    record Key(TopKey key) implements News {}

    record Told(TopData data) implements News {}

    record Failed(String why) implements News {}

    record Explained(String job, List<String> lines) implements News {}

    record Noted(String text) implements News {}

    record Resized() implements News {}

    record Interrupted() implements News {}

    record Gone(IOException why) implements News {}
  }

  /// @param first what the server told before the screen was taken
  TopLoop(Invocation invocation, TopFetch fetch, TopData first) {
    this.invocation = invocation;
    this.output = invocation.output();
    this.fetch = fetch;
    this.data = first;
    this.question = new TopFetch.Question(TopView.POOLS, "", 1);
  }

  /// Shows the view until the user leaves it.
  int run() throws IOException, InterruptedException {
    invocation.muteNotes(true);
    try (TopScreen screen =
        TopScreen.open(
            output.out(),
            () -> inbox.add(new News.Interrupted()),
            () -> inbox.add(new News.Resized()))) {
      Thread keys = Thread.ofPlatform().daemon().name("top-keys").start(() -> readKeys(screen));
      Thread server = Thread.ofPlatform().daemon().name("top-server").start(this::askServer);
      try {
        return serve(screen);
      } finally {
        isOver = true;
        server.interrupt();
        keys.join();
      }
    } finally {
      invocation.muteNotes(false);
    }
  }

  private int serve(TopScreen screen) throws IOException, InterruptedException {
    while (true) {
      ask(
          new TopFetch.Question(
              state.view(), state.filter(), Math.max(1, screen.height() - OTHER_LINES)));
      draw(screen);
      News news = inbox.poll(INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
      while (news != null) {
        Optional<Integer> exit = take(news, screen);
        if (exit.isPresent()) {
          return exit.get();
        }
        news = inbox.poll();
      }
    }
  }

  /// Another question is asked soon, the same one when its second is over.
  private void ask(TopFetch.Question next) {
    if (!next.equals(question)) {
      question = next;
      errands.add(() -> {});
    }
  }

  private void draw(TopScreen screen) {
    Instant now = invocation.environment().clock().instant();
    boolean isStale = Duration.between(data.time(), now).compareTo(STALE_AFTER) > 0;
    Optional<TopFrame.Stale> stale =
        isStale ? Optional.of(new TopFrame.Stale(data.time(), trouble)) : Optional.empty();
    screen.draw(
        new TopRenderer(
                output.paint(), output.symbols(), output.times(), screen.width(), screen.height())
            .lines(new TopFrame(data, state, stale, true)));
  }

  /// The exit code, if the view ends.
  private Optional<Integer> take(News news, TopScreen screen) throws IOException {
    switch (news) {
      case News.Told(TopData told) -> {
        data = told;
        trouble = "";
      }
      case News.Failed(String why) -> trouble = why;
      case News.Noted(String text) -> state = state.noting(text);
      case News.Explained(String job, List<String> lines) ->
          state = state.with(new TopDialog.Text("explain " + job, lines, 0));
      case News.Resized _ -> screen.resized();
      case News.Interrupted _ -> {
        return Optional.of(ExitCode.INTERRUPTED);
      }
      case News.Gone(IOException why) -> {
        if (why instanceof TopKeyReader.TerminalGoneException) {
          return Optional.of(ExitCode.DONE);
        }
        throw why;
      }
      case News.Key(TopKey key) -> {
        TopKeys.Step step = TopKeys.press(key, state, data);
        state = step.state();
        switch (step.action()) {
          case Action.None _ -> {}
          case Action.Quit _ -> {
            return Optional.of(ExitCode.DONE);
          }
          case Action.Explain(String job) -> errands.add(() -> explain(job, screen.width()));
          case Action.Cancel(String job) -> errands.add(() -> cancel(job));
        }
      }
    }
    return Optional.empty();
  }

  private void readKeys(TopScreen screen) {
    TopKeyReader keys = screen.keys();
    try {
      while (!isOver) {
        keys.next().ifPresent(key -> inbox.add(new News.Key(key)));
      }
    } catch (IOException e) {
      inbox.add(new News.Gone(e));
    }
  }

  /// Asks once a second, and runs the user's errands in between.
  private void askServer() {
    try {
      while (true) {
        long began = System.nanoTime();
        TopFetch.Question asked = question;
        try {
          inbox.add(new News.Told(fetch.fetch(asked)));
        } catch (HeadgateException e) {
          inbox.add(new News.Failed(PrintableText.line(String.valueOf(e.getMessage()))));
        }
        runErrands(began, asked);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Until the next question is due.
  private void runErrands(long began, TopFetch.Question asked) throws InterruptedException {
    @Nullable Runnable errand;
    do {
      Duration pause = asked.equals(question) ? INTERVAL : SHORTEST_INTERVAL;
      errand = errands.poll(began + pause.toNanos() - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (errand != null) {
        errand.run();
      }
    } while (errand != null);
  }

  private void explain(String job, int width) {
    try {
      List<String> lines =
          new ExplanationText(output)
              .lines(EventMessages.explanation(invocation.session().jobs().explain(job)));
      inbox.add(new News.Explained(job, TopText.wrapped(lines, width)));
    } catch (HeadgateException e) {
      inbox.add(new News.Noted(String.valueOf(e.getMessage())));
    }
  }

  private void cancel(String job) {
    try {
      var _ = invocation.session().jobs().cancel(job, false, "");
      inbox.add(new News.Noted(job + " is being cancelled"));
    } catch (HeadgateException e) {
      inbox.add(new News.Noted(String.valueOf(e.getMessage())));
    }
  }
}

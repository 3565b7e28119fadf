package io.headgate.sdk.cli.command.top;

import io.headgate.sdk.cli.command.top.TopKey.Named;
import java.util.List;

/// The meaning of keys: the next state, and the next question to the server.
final class TopKeys {
  private static final int PAGE = 10;
  private static final int LONGEST_FILTER = 100;

  private TopKeys() {}

  /// A step beyond the next drawing.
  sealed interface Action {
    record None() implements Action {}

    record Quit() implements Action {}

    record Explain(String job) implements Action {}

    record Cancel(String job) implements Action {}
  }

  /// The result of a key.
  record Step(TopState state, Action action) {
    static Step to(TopState state) {
      return new Step(state, new Action.None());
    }
  }

  static Step press(TopKey key, TopState state, TopData data) {
    return switch (state.dialog()) {
      case TopDialog.None _ -> table(key, state, data);
      case TopDialog.Help _ -> Step.to(state.with(new TopDialog.None()));
      case TopDialog.Text text -> Step.to(read(key, state, text));
      case TopDialog.Cancel(String job) -> confirm(key, state, job);
      case TopDialog.Filter(String typed) -> Step.to(type(key, state, typed));
    };
  }

  private static Step table(TopKey key, TopState state, TopData data) {
    return switch (key) {
      case TopKey.Typed(int point) -> command(point, state, data);
      case Named.UP -> Step.to(move(state, data, -1));
      case Named.DOWN -> Step.to(move(state, data, 1));
      case Named.PAGE_UP -> Step.to(move(state, data, -PAGE));
      case Named.PAGE_DOWN -> Step.to(move(state, data, PAGE));
      case Named.HOME -> Step.to(move(state, data, -Integer.MAX_VALUE));
      case Named.END -> Step.to(move(state, data, Integer.MAX_VALUE));
      case Named.ENTER -> command('e', state, data);
      case Named.ESCAPE -> Step.to(state.filtering(""));
      case Named.BACKSPACE, Named.OTHER -> Step.to(state);
    };
  }

  private static Step command(int point, TopState state, TopData data) {
    return switch (point) {
      case '1' -> Step.to(state.with(TopView.POOLS));
      case '2' -> Step.to(state.with(TopView.POLICIES));
      case '3' -> Step.to(state.with(TopView.JOBS));
      case '4' -> Step.to(state.with(TopView.NODES));
      case 'j' -> Step.to(move(state, data, 1));
      case 'k' -> Step.to(move(state, data, -1));
      case 's' -> Step.to(state.ordering(state.order() + 1));
      case '/' -> Step.to(state.with(new TopDialog.Filter(state.filter())));
      case '?', 'h' -> Step.to(state.with(new TopDialog.Help()));
      case 'e' -> explain(state, data);
      case 'c' -> cancel(state, data);
      case 'q' -> new Step(state, new Action.Quit());
      default -> Step.to(state.noting(""));
    };
  }

  private static TopState move(TopState state, TopData data, int by) {
    TopRows rows = new TopRows(data, state);
    List<String> ids = rows.ids();
    if (ids.isEmpty()) {
      return state;
    }
    long wanted = (long) rows.selected() + by;
    return state.selecting(ids.get(Math.clamp(wanted, 0, ids.size() - 1)));
  }

  private static Step explain(TopState state, TopData data) {
    return state.view() == TopView.JOBS && selected(state, data) >= 0
        ? new Step(state.noting(""), new Action.Explain(job(state, data)))
        : Step.to(state.noting(noJob(state)));
  }

  private static Step cancel(TopState state, TopData data) {
    return state.view() == TopView.JOBS && selected(state, data) >= 0
        ? Step.to(state.with(new TopDialog.Cancel(job(state, data))))
        : Step.to(state.noting(noJob(state)));
  }

  private static String noJob(TopState state) {
    return state.view() == TopView.JOBS ? "no job is selected" : "select a job first: key 3";
  }

  private static int selected(TopState state, TopData data) {
    return new TopRows(data, state).selected();
  }

  private static String job(TopState state, TopData data) {
    TopRows rows = new TopRows(data, state);
    return rows.ids().get(rows.selected());
  }

  private static Step confirm(TopKey key, TopState state, String job) {
    TopState next = state.with(new TopDialog.None());
    return key instanceof TopKey.Typed(int point) && (point == 'y' || point == 'Y')
        ? new Step(next, new Action.Cancel(job))
        : Step.to(next.noting(job + " is not cancelled"));
  }

  private static TopState read(TopKey key, TopState state, TopDialog.Text text) {
    int by =
        switch (key) {
          case Named.UP -> -1;
          case Named.DOWN -> 1;
          case Named.PAGE_UP -> -PAGE;
          case Named.PAGE_DOWN -> PAGE;
          case TopKey.Typed(int point) -> point == 'j' ? 1 : point == 'k' ? -1 : 0;
          default -> 0;
        };
    return state.with(by == 0 ? new TopDialog.None() : text.scrolled(by));
  }

  private static TopState type(TopKey key, TopState state, String typed) {
    return switch (key) {
      case TopKey.Typed(int point) ->
          state.with(
              new TopDialog.Filter(
                  typed.length() < LONGEST_FILTER ? typed + Character.toString(point) : typed));
      case Named.BACKSPACE ->
          state.with(
              new TopDialog.Filter(
                  typed.isEmpty()
                      ? ""
                      : typed.substring(0, typed.offsetByCodePoints(typed.length(), -1))));
      case Named.ENTER -> state.filtering(typed);
      case Named.ESCAPE -> state.filtering("");
      default -> state;
    };
  }
}

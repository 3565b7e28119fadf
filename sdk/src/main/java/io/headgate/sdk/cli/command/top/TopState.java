package io.headgate.sdk.cli.command.top;

/// The choices of the user.
///
/// @param selected id of the selected row; empty: the first
/// @param filter words that the rows have; empty: all rows
/// @param order number of the order of the rows, as in the view
/// @param note for the last line, until the next key; may be empty
record TopState(
    TopView view, String selected, String filter, int order, TopDialog dialog, String note) {
  static final TopState FIRST = new TopState(TopView.POOLS, "", "", 0, new TopDialog.None(), "");

  TopState with(TopView other) {
    return new TopState(other, "", "", 0, new TopDialog.None(), "");
  }

  TopState with(TopDialog other) {
    return new TopState(view, selected, filter, order, other, "");
  }

  TopState selecting(String id) {
    return new TopState(view, id, filter, order, dialog, "");
  }

  TopState filtering(String words) {
    return new TopState(view, "", words, order, new TopDialog.None(), "");
  }

  TopState ordering(int number) {
    return new TopState(view, selected, filter, number % view.orders().size(), dialog, "");
  }

  TopState noting(String text) {
    return new TopState(view, selected, filter, order, dialog, text);
  }
}

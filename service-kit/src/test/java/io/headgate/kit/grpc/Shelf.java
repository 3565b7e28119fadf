package io.headgate.kit.grpc;

import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.GreetRequest;
import io.headgate.kit.proto.test.v1.GreetResponse;
import io.headgate.kit.proto.test.v1.PutBookRequest;
import io.headgate.kit.proto.test.v1.ShelfServiceGrpc;
import io.headgate.kit.proto.test.v1.WatchBooksRequest;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/// The service that the server's tests call; a book's id says how putting it ends.
public final class Shelf extends ShelfServiceGrpc.ShelfServiceImplBase {
  public final CountDownLatch watchEnded = new CountDownLatch(1);
  public final CountDownLatch mayGreet = new CountDownLatch(1);

  @Override
  public void greet(GreetRequest request, StreamObserver<GreetResponse> answer) {
    if (request.getName().equals("wait")) {
      awaitRelease();
    }
    answer.onNext(GreetResponse.newBuilder().setText("hello " + request.getName()).build());
    answer.onCompleted();
  }

  @Override
  public void putBook(PutBookRequest request, StreamObserver<Book> answer) {
    String tenant = Principals.requireTenant(request.getParent());
    switch (request.getBook().getId()) {
      case "refused" ->
          throw Refusal.failedPrecondition("SHELF_FULL", "the shelf of " + tenant + " is full")
              .withMetadata("capacity", 3)
              .withRetryAfter(Duration.ofMillis(1500))
              .exception();
      case "closed" ->
          answer.onError(Refusal.notFound("SHELF_NOT_FOUND", "there is no shelf").exception());
      case "broken" -> throw new IllegalStateException("the password is hunter2");
      case "status" ->
          answer.onError(Status.ABORTED.withDescription("raw text").asRuntimeException());
      case "sql" ->
          throw new IllegalStateException(new java.sql.SQLException("connection lost", "08006"));
      default -> {
        answer.onNext(request.getBook());
        answer.onCompleted();
      }
    }
  }

  @Override
  public void importBook(PutBookRequest request, StreamObserver<Book> answer) {
    answer.onNext(Book.newBuilder().setId("imported").setPages(1).build());
    answer.onCompleted();
  }

  @Override
  public void watchBooks(WatchBooksRequest request, StreamObserver<Book> answer) {
    ServerCallStreamObserver<Book> stream = (ServerCallStreamObserver<Book>) answer;
    stream.setOnCancelHandler(watchEnded::countDown);
    Context.current().addListener(_ -> watchEnded.countDown(), Runnable::run);
    answer.onNext(Book.newBuilder().setId("first").setPages(1).build());
    if (request.getParent().equals("fail")) {
      throw new IllegalStateException("in the middle");
    }
  }

  @Override
  public StreamObserver<Book> exchange(StreamObserver<Book> answer) {
    return new StreamObserver<>() {
      @Override
      public void onNext(Book book) {
        answer.onNext(book);
      }

      @Override
      public void onError(Throwable failure) {
        // The client went away.
      }

      @Override
      public void onCompleted() {
        answer.onCompleted();
      }
    };
  }

  private void awaitRelease() {
    try {
      mayGreet.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

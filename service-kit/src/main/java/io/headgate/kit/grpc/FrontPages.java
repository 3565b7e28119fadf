package io.headgate.kit.grpc;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import com.linecorp.armeria.server.docs.DocService;
import io.grpc.ServerServiceDefinition;
import io.headgate.kit.grpc.ApiServerConfig.Discovery;
import java.util.List;
import java.util.function.UnaryOperator;

/// The pages of the port for people: the greeting at `/`, and the documentation, which asks nothing
/// of any other server.
final class FrontPages {
  /// Browsers load nothing from elsewhere for a page with this header.
  private static final String OWN_ONLY =
      "default-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src 'self'"
          + " data:; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'";

  private static final String POLICY = "content-security-policy";

  private static final String JSON =
      """
      {
        "name": "Headgate",
        "documentation": "/docs/",
        "openapi": "/openapi.json",
        "signIn": "POST /v1/tokens:exchange with {\\"key\\": KEY}; send its token as 'authorization: Bearer TOKEN'"
      }
      """;

  private static final String HTML =
      """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>Headgate</title></head><body>
      <h1>Headgate</h1>
      <p>This port serves gRPC and JSON. Both need a token, and so do these pages:</p>
      <ul>
      <li><a href="/docs/">/docs/</a>: every method</li>
      <li><a href="/openapi.json">/openapi.json</a>: the same as OpenAPI 3.1</li>
      </ul>
      <p>A key buys a token: <code>POST /v1/tokens:exchange</code> with <code>{"key": KEY}</code>.</p>
      </body></html>
      """;

  private FrontPages() {}

  /// The greeting for everybody, and the documentation as far as `discovery` shows it.
  ///
  /// @param guard lets only callers with a good token see a page
  static void serve(
      ServerBuilder server,
      Discovery discovery,
      List<ServerServiceDefinition> services,
      UnaryOperator<HttpService> guard) {
    server.service("/", FrontPages::greet);
    HttpService docs = ownOnly(DocService.builder().build());
    HttpService openApi = text(MediaType.JSON_UTF_8, OpenApi.of(services));
    switch (discovery) {
      case SIGNED_IN ->
          server
              .serviceUnder("/docs", guard.apply(docs))
              .service("/openapi.json", guard.apply(openApi));
      case OPEN -> server.serviceUnder("/docs", docs).service("/openapi.json", openApi);
      case OFF -> {
        // Neither pages nor reflection.
      }
    }
  }

  /// HTML for browsers, JSON for others.
  private static HttpResponse greet(ServiceRequestContext context, HttpRequest request) {
    boolean html =
        request.headers().accept().stream()
            .anyMatch(it -> it.is(MediaType.HTML_UTF_8.withoutParameters()));
    return own(context, html ? MediaType.HTML_UTF_8 : MediaType.JSON_UTF_8, html ? HTML : JSON);
  }

  private static HttpService text(MediaType type, String text) {
    return (context, _) -> own(context, type, text);
  }

  private static HttpResponse own(ServiceRequestContext context, MediaType type, String text) {
    context.mutateAdditionalResponseHeaders(headers -> headers.set(POLICY, OWN_ONLY));
    return HttpResponse.of(HttpStatus.OK, type, HttpData.ofUtf8(text));
  }

  /// Pages whose browser loads nothing from elsewhere. Their first page names fonts of a stranger,
  /// which are left out: without them the browser takes its own.
  private static HttpService ownOnly(HttpService pages) {
    return new SimpleDecoratingHttpService(pages) {
      @Override
      public HttpResponse serve(ServiceRequestContext context, HttpRequest request)
          throws Exception {
        context.mutateAdditionalResponseHeaders(headers -> headers.set(POLICY, OWN_ONLY));
        boolean first = context.mappedPath().equals("/") || context.mappedPath().endsWith(".html");
        if (!first) {
          return unwrap().serve(context, request);
        }
        HttpRequest plain =
            request.withHeaders(
                request.headers().toBuilder()
                    .removeAndThen(HttpHeaderNames.ACCEPT_ENCODING)
                    .build());
        context.updateRequest(plain);
        return HttpResponse.of(
            unwrap().serve(context, plain).aggregate().thenApply(FrontPages::withoutStrangers));
      }
    };
  }

  private static HttpResponse withoutStrangers(AggregatedHttpResponse page) {
    String text = page.contentUtf8().replaceAll("<link href=\"https?://[^>]*>", "");
    return HttpResponse.of(page.status(), MediaType.HTML_UTF_8, HttpData.ofUtf8(text));
  }
}

package io.headgate.kit.grpc;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;

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

  /// HTML for browsers, JSON for others.
  static HttpResponse greet(ServiceRequestContext context, HttpRequest request) {
    boolean html =
        request.headers().accept().stream()
            .anyMatch(it -> it.is(MediaType.HTML_UTF_8.withoutParameters()));
    return own(context, html ? MediaType.HTML_UTF_8 : MediaType.JSON_UTF_8, html ? HTML : JSON);
  }

  static HttpService text(MediaType type, String text) {
    return (context, _) -> own(context, type, text);
  }

  private static HttpResponse own(ServiceRequestContext context, MediaType type, String text) {
    context.mutateAdditionalResponseHeaders(headers -> headers.set(POLICY, OWN_ONLY));
    return HttpResponse.of(HttpStatus.OK, type, HttpData.ofUtf8(text));
  }

  /// Pages whose browser loads nothing from elsewhere. Their first page names fonts of a stranger,
  /// which are left out: without them the browser takes its own.
  static HttpService ownOnly(HttpService pages) {
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

// Reads requests as a servlet of Tomcat or Jetty does, and forwards what it has read.

import @SERVLET@.http.*;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

class Server extends HttpServlet {
  static final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  public static void main(String[] args) throws Exception {
    @START@
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Override
  protected void service(HttpServletRequest in, HttpServletResponse out) throws java.io.IOException {
    var pairs = new ArrayList<String>();
    in.getParameterMap().forEach((name, values) -> {
      for (var value : values) pairs.add(encode(name) + "=" + encode(value));
    });
    var query = pairs.isEmpty() ? "" : "?" + String.join("&", pairs);
    var body = in.getInputStream().readAllBytes();
    var publisher = body.length == 0 ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofByteArray(body);
    var sent = HttpRequest.newBuilder(URI.create("http://@UPSTREAM@" + in.getRequestURI() + query)).method(in.getMethod(), publisher);
    for (var name : List.of("Content-Type", "X-Client-Application-Id", "X-Client-Token"))
      for (var value : Collections.list(in.getHeaders(name))) sent.header(name, value);
    try {
      var response = client.send(sent.build(), HttpResponse.BodyHandlers.ofByteArray());
      out.setStatus(response.statusCode());
      response.headers().firstValue("content-type").ifPresent(out::setContentType);
      out.getOutputStream().write(response.body());
    } catch (InterruptedException error) {
      out.sendError(502);
    }
  }
}

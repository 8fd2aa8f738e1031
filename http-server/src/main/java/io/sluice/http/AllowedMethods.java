package io.sluice.http;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.server.Route;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** The methods that each path of a server allows, for the header Allow of a 405 (RFC 9110, 15.5.6). Thread-safe. */
final class AllowedMethods {
    private record Allowed(HttpMethod method, Route path) {}

    private final List<Allowed> all = new CopyOnWriteArrayList<>();

    void add(HttpMethod method, String path) {
        all.add(new Allowed(method, Route.builder().path(path).build()));
    }

    /** Returns the allowed methods of a request's path, as the value of the header Allow. */
    String of(ServiceRequestContext ctx) {
        return all.stream()
                .filter(each -> each.path().apply(ctx.routingContext(), false).isPresent())
                .map(each -> each.method().name())
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }
}

package io.sluice.node.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ProblemKind;
import io.sluice.http.ApiRequest;
import io.sluice.http.ProblemException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests a node that has not applied the drop of a table when a new one of that name begins. */
class ClusterServiceTest {
    private static final ClusterBody CLUSTER =
            new ClusterBody("c", "a", "b", 0, List.of(), List.of(), List.of(), List.of());

    /** A node of a cluster that finds the table the first time, and later ones too if it was not dropped. */
    private static HttpResponse begin(boolean dropped, boolean contact, AtomicInteger asked) {
        Membership membership = (Membership) Proxy.newProxyInstance(
                ClusterServiceTest.class.getClassLoader(),
                new Class<?>[] {Membership.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "cluster" -> CLUSTER;
                    case "outdated" -> null;
                    case "catchUp" -> contact;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        ServiceRequestContext context = ServiceRequestContext.of(HttpRequest.of(HttpMethod.POST, "/v1/imports"));
        return service(membership)
                .certain(request -> {
                    if (asked.incrementAndGet() == 1 || !dropped) {
                        throw new ProblemException(ProblemKind.CONFLICT, "table t already exists");
                    }
                    return HttpResponse.of(201);
                })
                .answer(new ApiRequest(context, context.request().headers(), new byte[0]));
    }

    @SuppressWarnings("NullAway") // This work needs no catalog.
    private static ClusterService service(Membership membership) {
        return new ClusterService(membership, null);
    }

    @Test
    void nodeThatCatchesUpAsksAgain() {
        AtomicInteger asked = new AtomicInteger();
        assertEquals(201, begin(true, true, asked).aggregate().join().status().code());
        assertEquals(2, asked.get());
    }

    @Test
    void tableThatIsThereIsRefused() {
        AtomicInteger asked = new AtomicInteger();
        ProblemException refused = assertThrows(ProblemException.class, () -> begin(false, true, asked));
        assertEquals("table t already exists", refused.getMessage());
        assertEquals(2, asked.get());
    }

    @Test
    void nodeWithoutContactLeavesItToTheOthers() {
        ProblemException outdated =
                assertThrows(ProblemException.class, () -> begin(false, false, new AtomicInteger()));
        assertEquals(503, outdated.problem().kind().status());
    }
}

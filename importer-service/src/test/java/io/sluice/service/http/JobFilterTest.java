package io.sluice.service.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.http.ApiRequest;
import io.sluice.model.error.BadInputException;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobFiles;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobState.Action;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Filters of a list of these jobs:
 *
 * <pre>
 *   Load-1  stock   pending  team=red
 *   load-2  orders  paused   team=blue, day=
 *   other   Stock   pending
 * </pre>
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class JobFilterTest {
    @TempDir
    Path directory;

    private JobRegistry registry;

    @BeforeEach
    void create() {
        registry = new JobRegistry(new JobFiles(directory), 10, Clock.systemUTC());
        create("Load-1", "stock", Map.of("team", "red"));
        create("load-2", "orders", Map.of("team", "blue", "day", ""));
        create("other", "Stock", Map.of());
        Job paused = registry.find("load-2");
        assertNotNull(paused);
        registry.act(paused, Action.PAUSE);
    }

    private void create(String id, String table, Map<String, String> labels) {
        registry.create(id, table, labels, JsonNodeFactory.instance.objectNode(), null);
    }

    private static JobFilter filter(String query) {
        HttpRequest request = HttpRequest.of(HttpMethod.GET, "/v1/imports?" + query);
        return JobFilter.of(new ApiRequest(ServiceRequestContext.of(request), request.headers(), new byte[0]));
    }

    @ParameterizedTest(name = "?{0}: {1}")
    @CsvSource(
            nullValues = "none",
            value = {
                "'',                        Load-1 load-2 other",
                "state=,                    Load-1 load-2 other",
                "state=pending,             Load-1 other",
                "'state=paused,pending',    Load-1 load-2 other",
                "state=succeeded,           none",
                "table=stock,               Load-1",
                "table=sto,                 none",
                "label=team,                Load-1 load-2",
                "label=team=red,            Load-1",
                "label=day=,                load-2",
                "label=tea,                 none",
                "search=LOAD,               Load-1 load-2",
                "search=stock,              Load-1 other",
                "search=red,                none",
                "search=load&state=paused,  load-2",
                "search=load&table=Stock,   none",
            })
    void filterTakes(String query, @Nullable String ids) {
        JobFilter filter = filter(query);
        String taken = StreamSupport.stream(registry.newestFirst().spliterator(), false)
                .filter(filter::takes)
                .map(Job::id)
                .sorted()
                .collect(Collectors.joining(" "));
        assertEquals(ids == null ? "" : ids, taken);
    }

    @Test
    void unknownStateIsRefused() {
        BadInputException refused = assertThrows(BadInputException.class, () -> filter("state=pending,done"));
        assertEquals("state done: there is no such state", refused.getMessage());
    }
}

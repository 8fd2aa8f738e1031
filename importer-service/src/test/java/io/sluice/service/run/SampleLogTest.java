package io.sluice.service.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The curves of a job: how many samples are kept of how many, and that they span the whole time at equal distances. */
class SampleLogTest {
    @ParameterizedTest(name = "{0} samples: {1} kept, {2} s apart")
    @CsvSource({
        "0, 0, 1",
        "1, 1, 1",
        "599, 599, 1",
        "600, 300, 2",
        "601, 300, 2",
        "602, 301, 2",
        "1199, 599, 2",
        "1200, 300, 4",
        "10000, 312, 32"
    })
    void samplesAreKeptAtEqualDistances(int added, int kept, int apart) {
        SampleLog log = new SampleLog();
        add(log, 1, added);
        assertEqual(log.toJson(), kept, apart);
    }

    /** An attempt goes on where the one before it ended, and its rate stays. */
    @ParameterizedTest
    @CsvSource({"10, 20, 20, 1", "700, 1199, 599, 2", "700, 10000, 312, 32"})
    void restoredHistoryContinues(int before, int all, int kept, int apart) {
        SampleLog first = new SampleLog();
        add(first, 1, before);
        SampleLog next = SampleLog.of(first.toJson());
        add(next, before + 1, all);
        assertEqual(next.toJson(), kept, apart);
    }

    private static void add(SampleLog log, int from, int to) {
        IntStream.rangeClosed(from, to).forEach(t -> log.add(t, t / 10_000.0, 10L * t, t, t % 7, t % 3));
    }

    private static void assertEqual(JsonNode json, int kept, int apart) {
        assertEquals(apart, json.path("every").asInt());
        JsonNode times = json.path("t");
        assertEquals(kept, times.size());
        assertTrue(times.size() < SampleLog.MOST);
        for (int i = 0; i < kept; i++) {
            long t = (long) apart * (i + 1);
            assertEquals(t, times.path(i).asLong());
            assertEquals(10 * t, json.path("bytes").path(i).asLong());
            assertEquals(t / 10_000.0, json.path("fraction").path(i).asDouble(), 0.001);
        }
    }
}

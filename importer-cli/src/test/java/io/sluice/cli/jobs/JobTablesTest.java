package io.sluice.cli.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.jobs.client.JobView;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs and records as people see them. */
class JobTablesTest {
    private static final Instant NOW = Instant.parse("2026-04-12T12:00:00Z");

    private static JobView job(String json) throws JsonProcessingException {
        return JobView.of(new ObjectMapper().readTree(json));
    }

    @Test
    void jobsAreAligned() throws Exception {
        List<JobView> jobs = List.of(
                job("{\"jobId\":\"orders-0412\",\"state\":\"running\",\"phase\":\"import\",\"table\":\"orders\","
                        + "\"createdAt\":\"2026-04-12T11:57:00Z\",\"progress\":{\"fraction\":0.429,\"etaSeconds\":75,"
                        + "\"bytesPerSecond\":20000000}}"),
                job(
                        "{\"jobId\":\"a\",\"state\":\"succeeded\",\"table\":\"t\\u001b\",\"createdAt\":\"2026-04-10T11:00:00Z\","
                                + "\"progress\":{\"fraction\":1,\"bytesPerSecond\":0}}"));
        assertEquals("""
                job              state  done       rate   ETA   table    age
                orders-0412    running   42%  20.0 MB/s  1:15  orders  3 min
                a            succeeded  100%          -     -   t\\x1b    2 d""", String.join("\n", JobText.table(jobs, NOW)));
    }

    @Test
    void aJobIsShown() throws Exception {
        JobView job = job("{\"jobId\":\"j\",\"state\":\"paused\",\"table\":\"t\",\"message\":\"one\\ntwo\","
                + "\"createdAt\":\"2026-04-12T10:00:00Z\",\"attempt\":2,\"mode\":\"direct\",\"modeWhy\":\"asked for\","
                + "\"spec\":{\"inputs\":[\"/a\",\"/b\",\"/c\",\"/d\"],\"labels\":{\"team\":\"sales\"}},"
                + "\"progress\":{\"fraction\":0.5,\"bytesRead\":1000,\"bytesTotal\":2000,\"rowsRead\":1234,"
                + "\"rowsRejected\":2,\"kvs\":2464,\"sstsBuilt\":3,\"sstsIngested\":1,\"puts\":5,\"elapsedSeconds\":61},"
                + "\"actions\":[\"resume\",\"cancel\"]}");
        assertEquals("""
                job j: paused
                  why       one
                            two
                  table     t
                  inputs    /a, /b, /c, and 1 more; --json lists them
                  labels    team=sales
                  created   2026-04-12T10:00:00Z, 2 h ago
                  mode      direct: asked for
                  progress  50%, 1.00 kB of 2.00 kB, 1,234 rows, 2 rejected, in 1:01, attempt 2
                  shipped   2,464 KVs, 3 SSTs built and 1 ingested, 5 puts
                  possible  resume, cancel""", String.join("\n", JobText.lines(job, NOW)));
    }

    @ParameterizedTest
    @CsvSource({
        "2026-04-12T12:00:05Z, 0 s",
        "2026-04-12T11:59:01Z, 59 s",
        "2026-04-12T11:59:00Z, 1 min",
        "2026-04-12T11:00:01Z, 59 min",
        "2026-04-12T11:00:00Z, 1 h",
        "2026-04-10T12:00:01Z, 47 h",
        "2026-04-10T12:00:00Z, 2 d",
        "yesterday, -"
    })
    void agesAreInTheUnitThatFits(String time, String age) {
        assertEquals(age, JobText.age(time, NOW));
    }
}

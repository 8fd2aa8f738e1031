package io.sluice.cli.jobs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sluice.cli.jobs.client.FlakyServer.Reply;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.service.job.JobState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the client on broken connections and invalid answers. */
class ServiceClientTest {
    private static final JsonNode SPEC = JsonNodeFactory.instance.objectNode();

    private static String job(String state) {
        return "{\"jobId\":\"j\",\"state\":\"" + state + "\"}";
    }

    private static Reply events(boolean whole, String... states) {
        StringBuilder text = new StringBuilder(": hello\n\n");
        for (String state : states) {
            text.append("event: import\r\ndata: ").append(job(state)).append("\r\n\r\n");
        }
        return new Reply(200, text.toString(), whole);
    }

    @Test
    void aRequestThatGotNoAnswerIsSentAgainWithItsKey() throws Exception {
        String busy = "{\"type\":\"x\",\"title\":\"x\",\"status\":409,\"detail\":\"wait\",\"retryAfterMillis\":1}";
        try (FlakyServer server = new FlakyServer(
                Reply.of(502, "<html>"), Reply.of(0, ""), Reply.of(409, busy), Reply.of(202, job("pending")))) {
            assertEquals(JobState.PENDING, server.client().create(SPEC).state());
            assertEquals(4, server.asked.size(), server.asked.toString());
            assertEquals(1, server.asked.stream().distinct().count(), server.asked.toString());
            assertFalse(server.asked.get(0).endsWith("null"), server.asked.toString());
        }
    }

    @Test
    void everyErrorOfAProblemIsPrinted() throws Exception {
        String problem =
                "{\"type\":\"x\",\"title\":\"x\",\"status\":400,\"detail\":\"a is wrong; and 1 more errors\",\"errors\":["
                        + "{\"field\":\"/a\",\"code\":\"invalid\",\"message\":\"a is wrong\\u001b\"},"
                        + "{\"field\":\"/b\",\"code\":\"invalid\",\"message\":\"b is wrong\"}]}";
        try (FlakyServer server = new FlakyServer(Reply.of(400, problem))) {
            BadInputException e =
                    assertThrows(BadInputException.class, () -> server.client().create(SPEC));
            assertEquals("a is wrong\\x1b\nb is wrong", e.getMessage());
            assertEquals(1, server.asked.size());
        }
    }

    @Test
    void anotherServerIsDetected() throws Exception {
        for (Reply reply : List.of(
                Reply.of(200, "<html>"),
                Reply.of(200, "{}"),
                Reply.of(404, "<html>"),
                Reply.of(404, "{}"),
                Reply.of(302, ""),
                Reply.of(200, job("dreaming")),
                new Reply(200, job("running"), false))) {
            try (FlakyServer server = new FlakyServer(reply)) {
                OperationFailedException e = assertThrows(
                        OperationFailedException.class, () -> server.client().job("j"), reply.toString());
                assertFalse(String.valueOf(e.getMessage()).contains("a token"), e.getMessage());
            }
        }
    }

    @Test
    void watchingGoesOnWhereItBrokeOff() throws Exception {
        try (FlakyServer server = new FlakyServer(
                events(false, "running", "pausing"),
                Reply.of(0, ""),
                Reply.of(200, job("paused")),
                events(true, "running"),
                Reply.of(200, job("succeeded")))) {
            List<JobState> seen = new ArrayList<>();
            JobWatch watch =
                    new JobWatch(server.client(), JobView.of(new ObjectMapper().readTree(job("pending"))), job -> {
                        seen.add(job.state());
                        return job.state().isFinal();
                    });
            assertEquals(JobState.SUCCEEDED, watch.follow().state());
            assertTrue(
                    seen.containsAll(List.of(JobState.PENDING, JobState.PAUSING, JobState.PAUSED, JobState.RUNNING)),
                    seen.toString());
        }
    }

    @Test
    void pagesEndWhereTheyDo() throws Exception {
        try (FlakyServer server = new FlakyServer(
                Reply.of(200, "{\"imports\":[1,2],\"nextPageToken\":\"a b\"}"),
                Reply.of(200, "{\"imports\":[],\"nextPageToken\":\"c\"}"),
                Reply.of(200, "{\"imports\":[3]}"))) {
            List<Integer> got = new ArrayList<>();
            assertTrue(Pages.ofJobs(server.client()).with("label", "a=b&c").forEach(5, item -> got.add(item.asInt())));
            assertEquals(List.of(1, 2, 3), got);
            assertEquals("GET /v1/imports?pageSize=5&label=a%3Db%26c null", server.asked.get(0));
            assertEquals("GET /v1/imports?pageSize=3&label=a%3Db%26c&pageToken=a+b null", server.asked.get(1));
        }
        try (FlakyServer server = new FlakyServer(Reply.of(200, "{\"imports\":[1,2],\"nextPageToken\":\"t\"}"))) {
            assertFalse(Pages.ofJobs(server.client()).forEach(2, item -> {}));
            assertThrows(OperationFailedException.class, () -> Pages.ofJobs(server.client())
                    .forEach(9, item -> {}));
        }
    }
}

package io.sluice.cli.jobs.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.output.Printable;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.service.job.JobState.Action;
import io.sluice.service.spec.ImportSpec;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * A client of an import service, whose contract is its {@code openapi.yaml}. Answers are bounded, and nothing is waited
 * for without end. What the service turns down is a {@link BadInputException} with all that it says is wrong; what it
 * could not do, and silence, an {@link OperationFailedException}.
 */
public final class ServiceClient {
    private static final int OK = 200;
    private static final String IMPORTS = "/v1/imports";

    private final Connection connection;

    /** A client; nothing is connected before the first request. */
    public ServiceClient(ServiceAddress address) {
        connection = new Connection(address);
    }

    /** The address of the service. */
    public ServiceAddress address() {
        return connection.address();
    }

    /** The options by which another command finds this service; empty when it does so without. */
    public String option() {
        return address().isUsual() ? "" : " --server " + address();
    }

    /** Gets the resource at a path. */
    public JsonNode get(String path) {
        try {
            return connection.exchange(connection.request(path).GET().build()).orFail();
        } catch (IOException e) {
            throw connection.unreachable(e);
        }
    }

    /**
     * One job.
     *
     * @throws BadInputException when there is none of that id
     */
    public JobView job(String id) {
        try {
            return JobView.of(known(
                    id, connection.exchange(connection.request(path(id)).GET().build())));
        } catch (IOException e) {
            throw connection.unreachable(e);
        }
    }

    private static JsonNode known(String id, Answer answer) {
        if (answer.missing()) {
            throw new BadInputException("there is no job " + id + "; 'sluice jobs list' shows those that there are");
        }
        return answer.orFail();
    }

    /**
     * A job, for who has asked for it before and knows what to do when nothing answers.
     *
     * @throws IOException when there is no answer, or one that says that the service is busy
     */
    JobView tryJob(String id) throws IOException {
        Answer answer = connection.exchange(connection.request(path(id)).GET().build());
        if (answer.busy()) {
            throw new IOException("the service is busy");
        }
        return JobView.of(known(id, answer));
    }

    /** Asks for a change of a job's state; the answer shows the job on its way there. */
    public JobView act(String id, Action action) {
        HttpRequest request = connection
                .request(path(id) + ":" + action.label())
                .POST(BodyPublishers.noBody())
                .build();
        try {
            // Asked twice it does what it does when asked once.
            return JobView.of(known(id, connection.persistently(request)));
        } catch (IOException e) {
            throw connection.unreachable(e);
        }
    }

    /** Requests the plan of an import; see {@code docs/how-to/plan.md}. */
    public JsonNode plan(JsonNode spec) {
        try {
            return connection
                    .exchange(post(IMPORTS + "?dryRun=true", spec).build())
                    .orFail();
        } catch (IOException e) {
            throw connection.unreachable(e);
        }
    }

    /**
     * Submits an import. If the connection breaks it is sent again with the same key, by which the service knows that
     * it is the same import.
     */
    public JobView create(JsonNode spec) {
        String key = UUID.randomUUID().toString();
        HttpRequest request = post(IMPORTS, spec).header("Idempotency-Key", key).build();
        try {
            Answer answer = connection.persistently(request);
            if (answer.conflicts()) {
                throw taken(answer, spec.path("jobId").asText());
            }
            return JobView.of(answer.orFail());
        } catch (IOException e) {
            throw connection.unreachable(e);
        }
    }

    private SluiceException taken(Answer answer, String id) {
        SluiceException failure = answer.failure();
        return id.isEmpty()
                ? failure
                : new BadInputException(
                        "there is a job " + id + " already; watch it with 'sluice jobs watch " + id + option()
                                + "', or take another --job-id",
                        failure);
    }

    /**
     * The events of one job; the caller closes them.
     *
     * @throws IOException when there is no answer, or the service has too many watchers
     */
    ServerEvents events(String id) throws IOException {
        HttpRequest request = connection
                .request(path(id) + "/events")
                .setHeader("Accept", "text/event-stream")
                .GET()
                .build();
        HttpResponse<Body> response = connection.open(request);
        if (response.statusCode() == OK) {
            return new ServerEvents(response.body(), Connection.MOST_BYTES);
        }
        Answer answer = connection.answer(response);
        if (!answer.busy()) {
            answer.orFail();
        }
        throw new IOException("the service is busy");
    }

    /** The path of a job, whose id is checked: it must not lead elsewhere. */
    public static String path(String id) {
        if (!ImportSpec.ID.matcher(id).matches()) {
            throw new BadInputException(
                    "'" + Printable.line(id) + "' is no job id; 'sluice jobs list' shows those that there are");
        }
        return IMPORTS + "/" + id;
    }

    private HttpRequest.Builder post(String path, JsonNode body) {
        return connection
                .request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body.toString(), StandardCharsets.UTF_8));
    }
}

package io.sluice.cli.jobs.client;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.cli.output.Printable;
import io.sluice.importer.job.ImportReport;
import io.sluice.model.error.OperationFailedException;
import io.sluice.service.job.JobState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as a service showed it at some moment. Texts are as a terminal may show them.
 *
 * @param json the whole resource
 * @param id names it
 * @param state what it is doing
 */
public record JobView(JsonNode json, String id, JobState state) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /**
     * The job that an answer shows.
     *
     * @throws OperationFailedException when it shows none
     */
    public static JobView of(JsonNode json) {
        JobState state = JobState.of(json.path("state").asText());
        String id = json.path("jobId").asText();
        if (state == null || id.isEmpty()) {
            throw new OperationFailedException(
                    "the service answered what is no job that this version knows; are both of the same version?");
        }
        return new JobView(json, Printable.line(id), state);
    }

    /** Whether the job has ended or is paused. */
    public boolean rests() {
        return state.isFinal() || state == JobState.PAUSED;
    }

    /** The phase if there is one, else the state. */
    public String doing() {
        return text("phase", state.label());
    }

    public String table() {
        return text("table", "");
    }

    /** Why it failed or is paused, maybe on several lines; or null. */
    public @Nullable String message() {
        return json.has("message") ? Printable.text(json.path("message").asText()) : null;
    }

    /** Why it took its mode, or null. */
    public @Nullable String modeWhy() {
        return json.has("modeWhy") ? text("modeWhy", "") : null;
    }

    /** A text of the resource, on one line. */
    public String text(String name, String otherwise) {
        return json.hasNonNull(name) ? Printable.line(json.path(name).asText()) : otherwise;
    }

    /** The done fraction, 0 to 1. */
    public double fraction() {
        return json.path("progress").path("fraction").asDouble();
    }

    /** A figure of its progress, or -1. */
    public long count(String name) {
        return json.path("progress").path(name).asLong(-1);
    }

    /** A figure of its progress, or NaN. */
    public double figure(String name) {
        return json.path("progress").path(name).asDouble(Double.NaN);
    }

    /** The limiting factor in words; empty if unknown. */
    public String limiter() {
        if (state == JobState.PENDING) {
            long before = json.path("queuePosition").asLong();
            return before == 0 ? "" : "the queue, " + before + " before it";
        }
        return Printable.line(json.path("progress").path("limiter").asText());
    }

    /** The actions that the job allows now. */
    public List<String> actions() {
        List<String> actions = new ArrayList<>();
        json.path("actions").forEach(action -> actions.add(Printable.line(action.asText())));
        return actions;
    }

    /** The id of the staged set that the job ingests. */
    public String setId() {
        return Printable.line(json.path("spec").path("setId").asText());
    }

    /** The report, once it has succeeded; or null. */
    public @Nullable ImportReport report() {
        JsonNode report = json.get("report");
        if (report == null) {
            return null;
        }
        try {
            return JSON.treeToValue(report, ImportReport.class);
        } catch (IOException e) {
            throw new OperationFailedException(
                    "the service's report cannot be read; are both of the same version? --json prints it as it is", e);
        }
    }
}

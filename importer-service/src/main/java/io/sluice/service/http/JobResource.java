package io.sluice.service.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.api.node.NodeStatus;
import io.sluice.service.job.Job;
import io.sluice.service.job.Job.Live;
import io.sluice.service.job.JobRecord;
import io.sluice.service.job.JobState;
import io.sluice.service.job.Tally;
import io.sluice.service.run.JobRuns;
import io.sluice.service.spec.ImportSpec;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts jobs to their JSON in the API. */
final class JobResource {
    /** Number of inputs in events and lists, which repeat often and may have ten thousand inputs. */
    private static final int INPUTS_SHOWN = 20;
    /** Number of shortened requests in the cache; others are read from disk. */
    private static final int SPECS_KEPT = 512;

    private final JobRuns runs;
    /** LRU cache, by job and not by id, which a later job may have; guarded by itself. */
    private final Map<Job, ObjectNode> specs = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Job, ObjectNode> eldest) {
            return size() > SPECS_KEPT;
        }
    };

    JobResource(JobRuns runs) {
        this.runs = runs;
    }

    /** Returns the current job with all its inputs. */
    ObjectNode whole(Job job) {
        ObjectNode json = of(job);
        json.set("spec", ImportSpec.redacted(job.spec()));
        return json;
    }

    /** Returns the request with the first inputs. */
    private ObjectNode shortSpec(Job job) {
        synchronized (specs) {
            ObjectNode known = specs.get(job);
            if (known != null) {
                return known;
            }
        }
        ObjectNode spec = (ObjectNode) ImportSpec.redacted(job.spec());
        if (spec.get("inputs") instanceof ArrayNode inputs) {
            while (inputs.size() > INPUTS_SHOWN) {
                inputs.remove(inputs.size() - 1);
            }
        }
        synchronized (specs) {
            specs.put(job, spec);
        }
        return spec;
    }

    /** Returns the current job with the first of its inputs. */
    ObjectNode of(Job job) {
        JobRecord record = job.record();
        Live live = job.live();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("jobId", record.id()).put("state", record.state().label());
        put(
                json,
                "phase",
                record.state() == JobState.RUNNING || record.state() == JobState.PAUSING ? live.phase() : null);
        json.put("table", record.table()).put("version", record.version());
        json.set("spec", shortSpec(job));
        json.put("createdAt", time(record.created().createdAt()));
        put(json, "startedAt", record.times().startedAt());
        json.put("updatedAt", time(record.times().updatedAt()));
        put(json, "finishedAt", record.times().finishedAt());
        json.put("attempt", record.times().attempt());
        if (record.state() == JobState.PENDING) {
            json.put("queuePosition", runs.before(job));
        }
        put(json, "mode", record.mode());
        put(json, "modeWhy", record.modeWhy());
        put(json, "message", record.message());
        put(json, "failure", record.reason().failure());
        JsonNode report = job.report();
        json.set("progress", progress(record, live, report));
        if (report != null) {
            json.set("report", report);
        }
        ArrayNode actions = json.putArray("actions");
        record.state().actions().forEach(action -> actions.add(action.label()));
        return json;
    }

    private ObjectNode progress(JobRecord record, Live live, @Nullable JsonNode report) {
        Tally tally = record.tally();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("fraction", tally.fraction());
        if (!Double.isNaN(live.etaSeconds())) {
            json.put("etaSeconds", rounded(live.etaSeconds()));
        }
        if (tally.bytes().total() >= 0) {
            json.put("bytesTotal", tally.bytes().total());
        }
        json.put("bytesRead", tally.bytes().read());
        json.put("bytesProcessed", tally.bytes().processed());
        json.put("rowsRead", tally.rows().read());
        if (report != null) {
            json.put("rowsImported", report.path("rowsImported").asLong());
            json.put("rowsConflicting", report.path("rowsDropped").asLong());
        }
        json.put("rowsRejected", tally.rows().rejected());
        json.put("kvs", tally.kvs());
        json.put("sstsBuilt", tally.store().sstsBuilt());
        json.put("sstsIngested", tally.store().sstsIngested());
        json.put("puts", tally.store().puts());
        NodeStatus nodes = runs.nodes();
        if (nodes != null && record.state().isActive()) {
            json.put("height", nodes.load().height()).put("files", nodes.load().files());
        }
        json.put("bytesPerSecond", rounded(live.bytesPerSecond()));
        json.put("rowsPerSecond", rounded(live.rowsPerSecond()));
        json.put("elapsedSeconds", BigDecimal.valueOf(tally.elapsedMillis(), 3));
        if (!live.limiter().isEmpty()) {
            json.put("limiter", live.limiter().toLowerCase(Locale.ROOT));
        }
        put(json, "lastCheckpointAt", tally.checkpointAt() == 0 ? null : tally.checkpointAt());
        return json;
    }

    /** One decimal; a double would have an exponent from ten million on. */
    private static BigDecimal rounded(double value) {
        return BigDecimal.valueOf(Math.round(value * 10), 1);
    }

    private static void put(ObjectNode json, String name, @Nullable String value) {
        if (value != null) {
            json.put(name, value);
        }
    }

    private static void put(ObjectNode json, String name, @Nullable Long millis) {
        if (millis != null) {
            json.put(name, time(millis));
        }
    }

    private static String time(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }

    /** Formats the job's version as an ETag. */
    static String etag(Job job) {
        return etag(job.record());
    }

    /** Formats a state's version as an ETag. */
    static String etag(JobRecord record) {
        return "\"" + record.version() + "\"";
    }
}

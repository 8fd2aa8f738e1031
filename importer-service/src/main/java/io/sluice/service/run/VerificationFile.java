package io.sluice.service.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.VerificationReport;
import io.sluice.importer.job.VerificationReport.Bucket;
import io.sluice.importer.job.VerificationReport.IndexCheck;
import io.sluice.model.kv.KvChecksum;
import io.sluice.service.job.Job;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Stores the last verification of a job among its files, as JSON of the API. */
final class VerificationFile {
    static final String NAME = "verification.json";

    private VerificationFile() {}

    /** Writes the result of an attempt's verification, if it got that far. */
    static void write(Job job, ImportJob attempt) {
        VerificationReport report = attempt.verification();
        if (report != null) {
            job.files().put(job.id(), NAME, json(report).toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    private static ObjectNode json(VerificationReport report) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("state", report.ok() ? "ok" : "failed").put("readBack", report.readBack());
        ArrayNode indexes = json.putArray("indexes");
        for (IndexCheck check : report.indexes()) {
            ObjectNode index = indexes.addObject().put("index", check.index());
            index.set("expected", sum(check.expected()));
            index.set("found", sum(check.found()));
            ArrayNode buckets = index.putArray("buckets");
            check.buckets().forEach(bucket -> buckets.add(bucket(bucket)));
        }
        return json;
    }

    private static ObjectNode bucket(Bucket bucket) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("from", bucket.start()).put("to", bucket.end());
        json.put("state", bucket.state().name().toLowerCase(Locale.ROOT));
        KvChecksum expected = bucket.expected();
        if (expected != null) {
            json.set("expected", sum(expected));
        }
        json.set("found", sum(bucket.found()));
        if (bucket.problem() != null) {
            json.put("problem", bucket.problem());
        }
        if (!bucket.sources().isEmpty()) {
            ArrayNode files = json.putArray("files");
            bucket.sources().forEach(source -> files.add(source.name()));
            json.put("moreFiles", bucket.moreSources());
        }
        return json;
    }

    private static ObjectNode sum(KvChecksum sum) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("count", sum.count())
                .put("bytes", sum.bytes())
                .put("digest", sum.digest());
    }
}

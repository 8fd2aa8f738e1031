package io.sluice.service.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress history of a job, for curves: at most {@value #MOST} samples over its whole time. A full history drops
 * every second sample and halves the sampling rate.
 */
final class SampleLog {
    static final int MOST = 600;
    private static final List<String> NAMES = List.of("t", "fraction", "bytes", "rows", "height", "files");

    private final List<double[]> samples = new ArrayList<>();
    private int every = 1;
    private int skipped;

    /** Restores the history of an earlier attempt. */
    static SampleLog of(@Nullable JsonNode json) {
        SampleLog log = new SampleLog();
        if (json != null) {
            for (int i = 0; i < json.path(NAMES.get(0)).size(); i++) {
                double[] sample = new double[NAMES.size()];
                for (int j = 0; j < sample.length; j++) {
                    sample[j] = json.path(NAMES.get(j)).path(i).asDouble();
                }
                log.samples.add(sample);
            }
            log.every = Math.max(1, json.path("every").asInt(1));
        }
        return log;
    }

    /** Adds a sample, or skips it according to the sampling rate. */
    synchronized void add(double t, double fraction, long bytes, long rows, int height, int files) {
        if (++skipped < every) {
            return;
        }
        skipped = 0;
        samples.add(new double[] {t, fraction, bytes, rows, height, files});
        if (samples.size() >= MOST) {
            for (int i = samples.size() - 2; i >= 0; i -= 2) {
                samples.remove(i);
            }
            every *= 2;
        }
    }

    /** Formats the history as JSON of the API. */
    synchronized ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < NAMES.size(); i++) {
            ArrayNode column = json.putArray(NAMES.get(i));
            for (double[] sample : samples) {
                double value = sample[i];
                if (value == Math.rint(value)) {
                    column.add((long) value);
                } else {
                    column.add(BigDecimal.valueOf(Math.round(value * 1000), 3));
                }
            }
        }
        return json.put("every", every);
    }
}

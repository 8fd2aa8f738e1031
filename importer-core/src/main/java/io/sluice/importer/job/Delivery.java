package io.sluice.importer.job;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import java.io.IOException;
import java.util.List;

/** One mode's way for KVs to the node. */
interface Delivery {
    /** When the node is to ingest what comes. */
    static IngestTiming timing(ImportSettings.Mode mode) {
        return switch (mode) {
            case MERGE -> IngestTiming.AT_END;
            case DIRECT -> IngestTiming.ON_ARRIVAL;
            case TWO_PASS -> IngestTiming.SHUFFLED;
        };
    }

    /** The delivery of a mode. */
    static Delivery of(ImportContext context) {
        return switch (context.settings().mode()) {
            case MERGE -> new MergeDelivery(context);
            case DIRECT -> new DirectDelivery(context);
            case TWO_PASS -> new TwoPassDelivery(context);
        };
    }

    /** Where workers put KVs, one output per index. The caller closes them. */
    List<? extends IndexOutput> outputs();

    /**
     * Brings on its way what is still here, when all input was read.
     *
     * @return what was handed over to the node in all, per index
     */
    List<IndexChecksum> finish() throws IOException, InterruptedException;
}

package io.sluice.importer.job;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import java.io.IOException;
import java.util.List;

/** Delivers KVs to the nodes in the way of one mode. */
interface Delivery {
    /** When the node ingests the KVs of a mode. */
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

    /** The outputs of the workers, one per index. The caller closes them. */
    List<? extends IndexOutput> outputs();

    /**
     * Delivers the remaining KVs after all input was read.
     *
     * @return checksums of all KVs that were handed over, per index
     */
    List<IndexChecksum> finish() throws IOException, InterruptedException;
}

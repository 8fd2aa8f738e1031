package io.sluice.importer.job;

import io.sluice.api.node.IndexChecksum;
import io.sluice.importer.ship.BatchShipper;
import java.util.ArrayList;
import java.util.List;

/** Mode two-pass, second pass: sends KVs in batches to the nodes that hold their ranges, which sort them. */
final class TwoPassDelivery implements Delivery {
    private final ImportContext context;
    private final BatchShipper shipper;
    private final List<ShuffleOutput> outputs = new ArrayList<>();

    TwoPassDelivery(ImportContext context) {
        this.context = context;
        // This mode has no runs here; batches under way get their memory.
        int batches = (int) Math.min(
                BatchShipper.mostBatches(context.settings().workers()),
                Math.max(1, context.memory().runBytes() / BatchShipper.BATCH_BYTES));
        shipper = context.shipper().forBatches(batches);
        byte[][] cuts = shipper.cuts();
        for (int i = 0; i < context.table().indexes().size(); i++) {
            outputs.add(new ShuffleOutput(i, context, shipper, cuts));
        }
    }

    @Override
    public List<ShuffleOutput> outputs() {
        return outputs;
    }

    @Override
    public List<IndexChecksum> finish() throws InterruptedException {
        shipper.awaitAll();
        List<IndexChecksum> sums = new ArrayList<>();
        for (ShuffleOutput output : outputs) {
            sums.add(new IndexChecksum(
                    context.table().indexes().get(output.ordinal()).def().name(), output.shipped()));
        }
        return sums;
    }
}

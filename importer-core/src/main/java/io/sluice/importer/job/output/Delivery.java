package io.sluice.importer.job.output;

import io.sluice.api.node.IndexChecksum;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.ship.BatchShipper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the KVs of one attempt to the nodes, through one output per index:
 *
 * <ul>
 *   <li>mode merge: merges everything locally and ships SSTs that do not overlap
 *   <li>mode direct: sorts every buffer, cuts it at common keys and ships the SSTs at once; the node merges
 *   <li>mode two-pass: sends KVs in batches to the nodes that hold their ranges, which sort them
 * </ul>
 */
public final class Delivery implements AutoCloseable {
    private final ImportContext context;
    private final @Nullable BatchShipper batches;
    /** The outputs in mode merge; empty in other modes. */
    private final List<RunOutput> runs = new ArrayList<>();
    /** The outputs in the other modes. */
    private final List<ShippedOutput> shipped = new ArrayList<>();

    public Delivery(ImportContext context) {
        this.context = context;
        ImportSettings.Mode mode = context.settings().mode();
        batches = mode == ImportSettings.Mode.TWO_PASS ? batches(context) : null;
        for (int i = 0; i < context.table().indexes().size(); i++) {
            if (mode == ImportSettings.Mode.MERGE) {
                runs.add(new RunOutput(i, context, true));
            } else {
                shipped.add(new ShippedOutput(i, context, batches));
            }
        }
    }

    /** Mode two-pass has no runs here; batches under way get their memory. */
    private static BatchShipper batches(ImportContext context) {
        return context.shipper().forBatches((int) Math.min(
                BatchShipper.mostBatches(context.settings().resources().workers()),
                Math.max(1, context.memory().runBytes() / BatchShipper.BATCH_BYTES)));
    }

    /** The outputs of the workers, one per index. */
    public List<? extends IndexOutput> outputs() {
        return runs.isEmpty() ? shipped : runs;
    }

    /**
     * Delivers the remaining KVs after all input was read, and waits until nodes have taken everything.
     *
     * @return checksums of all KVs that were handed over, per index
     */
    public List<IndexChecksum> finish() throws IOException, InterruptedException {
        if (shipped.isEmpty()) {
            return new MergePhase(context, runs).run();
        }
        if (batches == null) {
            context.awaitShipped();
        } else {
            batches.awaitAll();
        }
        return shipped.stream()
                .map(output -> new IndexChecksum(output.indexName(), output.shipped()))
                .toList();
    }

    @Override
    public void close() throws IOException {
        for (IndexOutput output : outputs()) {
            output.close();
        }
    }
}

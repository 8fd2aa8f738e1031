package io.sluice.importer.job;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.SstFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Mode merge: merges everything locally and ships SSTs that do not overlap. */
final class MergeDelivery implements Delivery {
    private final ImportContext context;
    private final List<RunOutput> outputs = new ArrayList<>();

    MergeDelivery(ImportContext context) {
        this.context = context;
        for (int i = 0; i < context.table().indexes().size(); i++) {
            outputs.add(new RunOutput(i, context, true));
        }
    }

    @Override
    public List<RunOutput> outputs() {
        return outputs;
    }

    @Override
    public List<IndexChecksum> finish() throws IOException, InterruptedException {
        MergePhase.Result ssts = new MergePhase(context, outputs).run();
        // An import with conflicts is not published, so nothing is shipped. An append is shipped all the same: its node
        // must check whether the table has the keys.
        if (context.conflicts().conflicts() == 0 || context.settings().append()) {
            List<CompletableFuture<SstFile>> underWay = new ArrayList<>();
            for (SstFile sst : ssts.kept()) {
                underWay.add(context.shipper().ship(sst));
            }
            context.await(underWay);
        }
        return new Verifier(context.table()).sums(ssts.all());
    }
}

package io.sluice.importer.job;

import io.sluice.api.node.IndexSum;
import io.sluice.api.node.SstFile;
import java.util.ArrayList;
import java.util.List;

/** Mode direct: every buffer is sorted, cut at common keys, and shipped as it comes; the node merges. */
final class DirectDelivery implements Delivery {
    private final List<DirectOutput> outputs = new ArrayList<>();
    private final Verifier verifier;

    DirectDelivery(ImportContext context) {
        verifier = new Verifier(context.table());
        for (int i = 0; i < context.table().indexes().size(); i++) {
            outputs.add(new DirectOutput(i, context));
        }
    }

    @Override
    public List<DirectOutput> outputs() {
        return outputs;
    }

    @Override
    public List<IndexSum> finish() {
        List<SstFile> ssts = new ArrayList<>();
        outputs.forEach(output -> ssts.addAll(output.shipped()));
        return verifier.sums(ssts);
    }
}

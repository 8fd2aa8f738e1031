package io.sluice.importer.job;

import io.sluice.api.node.IndexChecksum;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.List;

/** Mode direct: sorts every buffer, cuts it at common keys and ships the SSTs at once; the node merges. */
final class DirectDelivery implements Delivery {
    private final List<DirectOutput> outputs = new ArrayList<>();
    private final Table table;

    DirectDelivery(ImportContext context) {
        table = context.table();
        for (int i = 0; i < context.table().indexes().size(); i++) {
            outputs.add(new DirectOutput(i, context));
        }
    }

    @Override
    public List<DirectOutput> outputs() {
        return outputs;
    }

    @Override
    public List<IndexChecksum> finish() throws InterruptedException {
        List<IndexChecksum> sums = new ArrayList<>();
        for (DirectOutput output : outputs) {
            sums.add(new IndexChecksum(
                    table.indexes().get(output.ordinal()).def().name(), output.shipped()));
        }
        return sums;
    }
}

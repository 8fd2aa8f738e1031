package io.sluice.importer.job.attempt;

import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.output.KeyBorders;
import io.sluice.importer.ship.Shipper;

/** Passes the shipper's events to the import's progress and key borders. */
record Shipping(ImportProgress progress, KeyBorders borders) implements Shipper.Observer {
    @Override
    public void deferred(ShipAnswer.Deferred answer) {
        progress.deferred(answer);
    }

    @Override
    public void taken() {
        progress.taken();
    }

    @Override
    public void built(SstFile sst) {
        progress.sstBuilt();
    }

    @Override
    public void handedOver(SstFile sst) {
        progress.sstHandedOver();
        borders.shipped(sst);
    }
}

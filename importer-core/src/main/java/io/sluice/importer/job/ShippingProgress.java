package io.sluice.importer.job;

import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.importer.ship.Shipper;
import java.util.function.Consumer;

/**
 * Passes the shipper's events to the progress of an import.
 *
 * @param sstTaken also gets each SST that a node has taken
 */
public record ShippingProgress(ImportProgress progress, Consumer<SstFile> sstTaken) implements Shipper.Observer {
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
        sstTaken.accept(sst);
    }
}

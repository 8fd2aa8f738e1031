package io.sluice.node;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.engine.compact.CompactionSettings;
import io.sluice.node.ingest.IngestSettings;

/** Ships SSTs as a sender does, by the node's answers. */
final class Shipping {
    private Shipping() {}

    /** Ships an SST until the node takes it. Returns how often the node deferred it. */
    static int untilTaken(ImportSession session, SstFile sst) throws InterruptedException {
        int deferred = 0;
        while (true) {
            ShipAnswer answer = session.ship(sst);
            if (answer instanceof ShipAnswer.Taken) {
                return deferred;
            }
            if (answer instanceof ShipAnswer.Refused refused) {
                throw new IllegalStateException(refused.toString());
            }
            if (answer instanceof ShipAnswer.Deferred later) {
                Thread.sleep(Math.min(20, later.afterMillis()));
            }
            deferred++;
        }
    }

    /** Low limits, so that a few hundred small SSTs are many. */
    static NodeSettings crowded(long smallSstBytes) {
        CompactionSettings compaction = new CompactionSettings(
                new CompactionSettings.Heights(5, 10, 2),
                new CompactionSettings.Heights(12, 24, 3),
                8,
                256 << 10,
                64 << 10,
                2);
        IngestSettings ingest = NodeSettings.defaults()
                .ingest()
                .withSmallSstBytes(smallSstBytes)
                .withBufferBytes(64 << 10, 16 << 10)
                .withCompaction(compaction);
        return NodeSettings.defaults().withReadThreads(2).withIngest(ingest);
    }
}

package io.sluice.node.ingest;

import io.sluice.api.node.SstFile;
import io.sluice.model.kv.KvChecksum;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The checksums of taken SSTs by index. Usable by several threads. */
final class ShippedChecksums {
    private final Map<Integer, KvChecksum> byIndex = new ConcurrentHashMap<>();

    static ShippedChecksums of(List<SstFile> ssts) {
        ShippedChecksums sums = new ShippedChecksums();
        ssts.forEach(sums::add);
        return sums;
    }

    void add(SstFile sst) {
        byIndex.merge(sst.indexId(), sst.sum(), KvChecksum::plus);
    }

    KvChecksum of(int indexId) {
        return byIndex.getOrDefault(indexId, KvChecksum.EMPTY);
    }
}

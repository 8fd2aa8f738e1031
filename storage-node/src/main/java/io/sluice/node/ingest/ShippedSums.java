package io.sluice.node.ingest;

import io.sluice.api.kv.KvSum;
import io.sluice.api.node.SstFile;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What the SSTs that were taken add up to, by index. Usable by several threads. */
final class ShippedSums {
    private final Map<Integer, KvSum> byIndex = new ConcurrentHashMap<>();

    static ShippedSums of(List<SstFile> ssts) {
        ShippedSums sums = new ShippedSums();
        ssts.forEach(sums::add);
        return sums;
    }

    void add(SstFile sst) {
        add(sst.indexId(), sst.sum());
    }

    void add(int indexId, KvSum sum) {
        byIndex.merge(indexId, sum, KvSum::plus);
    }

    KvSum of(int indexId) {
        return byIndex.getOrDefault(indexId, KvSum.EMPTY);
    }
}

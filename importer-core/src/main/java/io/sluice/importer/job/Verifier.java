package io.sluice.importer.job;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.KvSum;
import io.sluice.api.node.IndexSum;
import io.sluice.api.node.SstFile;
import io.sluice.api.schema.Index;
import io.sluice.api.schema.Table;
import java.util.ArrayList;
import java.util.List;

/** Holds what later steps have to what was encoded. Any difference fails the import and says where it is. */
final class Verifier {
    static final String UNDONE =
            "\nThe import was undone. This is a defect of Sluice or of the machine; please report it.";

    private final Table table;

    Verifier(Table table) {
        this.table = table;
    }

    /** What the SSTs hold, per index, in the table's order. */
    List<IndexSum> sums(List<SstFile> ssts) {
        List<IndexSum> sums = new ArrayList<>();
        for (Index index : table.indexes()) {
            KvSum sum = ssts.stream()
                    .filter(sst -> sst.indexId() == index.def().id())
                    .map(SstFile::sum)
                    .reduce(KvSum.EMPTY, KvSum::plus);
            sums.add(new IndexSum(index.def().name(), sum));
        }
        return sums;
    }

    /** What was encoded, but for KVs that outputs did not pass on because their keys had come before. */
    static List<IndexSum> withoutRepeated(List<IndexSum> encoded, List<? extends IndexOutput> outputs) {
        List<IndexSum> once = new ArrayList<>();
        for (int i = 0; i < encoded.size(); i++) {
            IndexSum all = encoded.get(i);
            once.add(new IndexSum(all.index(), all.sum().minus(outputs.get(i).heldBack())));
        }
        return once;
    }

    /** Checks two steps' sums of all indexes against each other. */
    void check(String step, List<IndexSum> expected, String laterStep, List<IndexSum> found) {
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < expected.size(); i++) {
            KvSum before = expected.get(i).sum();
            KvSum after = found.get(i).sum();
            if (!before.equals(after)) {
                differences.add(
                        "table " + table.name() + ", index " + expected.get(i).index() + ": " + step + " "
                                + describe(before) + ", " + laterStep + " " + describe(after));
            }
        }
        if (!differences.isEmpty()) {
            throw new OperationFailedException("verification failed\n" + String.join("\n", differences) + UNDONE);
        }
    }

    /** Whether some index has fewer KVs than were sent: keys that were sent more than once, or loss. */
    static boolean countsFallShort(List<IndexSum> sent, List<IndexSum> found) {
        for (int i = 0; i < sent.size(); i++) {
            if (found.get(i).sum().count() < sent.get(i).sum().count()) {
                return true;
            }
        }
        return false;
    }

    private static String describe(KvSum sum) {
        return sum.count() + " KVs of " + sum.bytes() + " bytes, checksum " + sum.digest();
    }
}

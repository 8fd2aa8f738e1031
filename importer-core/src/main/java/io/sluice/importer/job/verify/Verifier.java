package io.sluice.importer.job.verify;

import io.sluice.api.node.IndexChecksum;
import io.sluice.importer.job.output.IndexOutput;
import io.sluice.model.error.FailureCode;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.List;

/** Compares the checksums of two steps of an import. A difference fails the import and names the index. */
public final class Verifier {
    static final String UNDONE =
            "\nThe import was undone. This is a defect of Sluice or of the machine; please report it.";

    private Verifier() {}

    /** Checksums of the encoded KVs without the repeated ones, which outputs do not pass on. */
    public static List<IndexChecksum> withoutRepeated(
            List<IndexChecksum> encoded, List<? extends IndexOutput> outputs) {
        List<IndexChecksum> once = new ArrayList<>();
        for (int i = 0; i < encoded.size(); i++) {
            IndexChecksum all = encoded.get(i);
            once.add(new IndexChecksum(
                    all.index(), all.sum().minus(outputs.get(i).heldBack())));
        }
        return once;
    }

    /** Fails if the checksums of two steps differ in any index. */
    public static void check(
            Table table, String step, List<IndexChecksum> expected, String laterStep, List<IndexChecksum> found) {
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < expected.size(); i++) {
            KvChecksum before = expected.get(i).sum();
            KvChecksum after = found.get(i).sum();
            if (!before.equals(after)) {
                differences.add(
                        "table " + table.name() + ", index " + expected.get(i).index() + ": " + step + " "
                                + describe(before) + ", " + laterStep + " " + describe(after));
            }
        }
        if (!differences.isEmpty()) {
            throw new OperationFailedException(
                    "verification failed\n" + String.join("\n", differences) + UNDONE, FailureCode.VERIFICATION);
        }
    }

    /** Whether an index has fewer KVs than were sent, because of repeated keys or loss. */
    static boolean countsFallShort(List<IndexChecksum> sent, List<IndexChecksum> found) {
        for (int i = 0; i < sent.size(); i++) {
            if (found.get(i).sum().count() < sent.get(i).sum().count()) {
                return true;
            }
        }
        return false;
    }

    static String describe(KvChecksum sum) {
        return sum.count() + " KVs of " + sum.bytes() + " bytes, checksum " + sum.digest();
    }
}

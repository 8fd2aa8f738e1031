package io.sluice.node.read;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.schema.Table;
import io.sluice.node.store.LiveSst;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Words for KVs that are not what they should be: which index, which key, where on disk. */
final class Damage {
    private Damage() {}

    /**
     * A KV that cannot be used.
     *
     * @param what is wrong with it, as in "the KV with key 88 <i>does not agree with its checksum</i>"
     * @param files the SSTs of its column family, as far as they are known
     */
    static OperationFailedException failure(Table table, int ordinal, byte[] key, String what, List<LiveSst> files) {
        List<String> around = files.stream()
                .filter(file -> Arrays.compareUnsigned(file.smallestKey(), key) <= 0
                        && Arrays.compareUnsigned(key, file.largestKey()) <= 0)
                .map(LiveSst::name)
                .toList();
        String where = around.isEmpty() ? "" : "; it is in SST " + String.join(" or ", around);
        return new OperationFailedException("table " + table.name() + ", index "
                + table.indexes().get(ordinal).def().name() + ": the KV with key "
                + HexFormat.of().formatHex(key) + " " + what + where
                + "; the store is damaged: drop the table and import it again");
    }
}

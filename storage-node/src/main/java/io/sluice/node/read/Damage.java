package io.sluice.node.read;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.Table;
import java.util.HexFormat;
import java.util.List;

/** Creates errors about damaged KVs, with index, key and SST. */
final class Damage {
    private Damage() {}

    /**
     * The error about one damaged KV.
     *
     * @param what the problem, as in "the KV with key 88 <i>does not agree with its checksum</i>"
     * @param files the SSTs of its column family; empty when not known
     */
    static OperationFailedException failure(Table table, int ordinal, byte[] key, String what, List<LsmFile> files) {
        KeyBounds at = new KeyBounds(key, key);
        List<String> around = files.stream()
                .filter(file -> file.bounds().covers(at))
                .map(LsmFile::name)
                .toList();
        String where = around.isEmpty() ? "" : "; it is in SST " + String.join(" or ", around);
        return new OperationFailedException("table " + table.name() + ", index "
                + table.indexes().get(ordinal).def().name() + ": the KV with key "
                + HexFormat.of().formatHex(key) + " " + what + where
                + "; the store is damaged: drop the table and import it again");
    }
}

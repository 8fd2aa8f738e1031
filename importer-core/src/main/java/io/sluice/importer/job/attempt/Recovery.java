package io.sluice.importer.job.attempt;

import io.sluice.api.node.IndexChecksum;
import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.job.Stage;
import io.sluice.importer.job.output.BufferedOut;
import io.sluice.importer.job.output.ImportContext;
import io.sluice.importer.job.read.ReadSplit;
import io.sluice.importer.job.resume.PastWork;
import io.sluice.importer.journal.JournalFile;
import io.sluice.importer.journal.JournaledChunk;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.source.ReadSpan;
import io.sluice.model.kv.EntryKeys;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Recovers the KVs that an earlier attempt has left in its journal, and passes them to the outputs. They were encoded,
 * but no checkpoint record covers them. Each file becomes one checkpoint unit, so that KVs in order stay in order.
 */
public final class Recovery {
    private final ImportContext context;
    private final PastWork past;
    private final BufferedOut out;
    private final List<KvTarget> targets;
    private final List<IndexDigest> digests;
    private final KvChecksum.Accumulator[] encoded;
    private final Map<Integer, List<ReadSpan>> spans = new TreeMap<>();
    private long rows;

    private Recovery(ImportContext context, PastWork past, BufferedOut out) {
        this.context = context;
        this.past = past;
        this.out = out;
        targets = List.copyOf(out.targets());
        digests = IndexDigest.ofAll(context.table());
        encoded = digests.stream().map(KvChecksum.Accumulator::new).toArray(KvChecksum.Accumulator[]::new);
    }

    /**
     * The result of the recovery.
     *
     * @param done all work of earlier attempts; its checksums cover only the checkpoint records
     * @param encoded checksums of the recovered KVs, per index
     */
    record Recovered(PastWork done, List<IndexChecksum> encoded) {}

    /**
     * Recovers all KVs of the journal files.
     *
     * @param past the work of earlier attempts by their checkpoint records
     * @param out takes the KVs; used by this method alone
     */
    static Recovered run(ImportContext context, PastWork past, List<JournalFile> left, BufferedOut out)
            throws IOException, InterruptedException {
        Recovery recovery = new Recovery(context, past, out);
        for (JournalFile file : left) {
            out.keep(file);
            file.read(recovery.targets.size(), recovery::take);
            out.inputEnded();
        }
        return recovery.recovered();
    }

    private void take(JournaledChunk chunk) throws IOException, InterruptedException {
        // Nodes have taken the file's unit, and the file was not overwritten yet; or another machine has gone on with
        // the import meanwhile, whose splits end elsewhere. What was not recorded is read from the input.
        if (past.spans().overlaps(chunk.input(), chunk.span())) {
            return;
        }
        out.enter(Stage.SORT);
        for (int i = 0; i < encoded.length; i++) {
            take(i, chunk.entries()[i]);
        }
        long bytes = chunk.span().end() - chunk.span().start();
        out.chunkEnded(new ReadSplit(chunk.input(), -1, chunk.span(), bytes, chunk.rows(), 0, false));
        spans.computeIfAbsent(chunk.input(), input -> new ArrayList<>()).add(chunk.span());
        rows += chunk.rows();
    }

    private void take(int index, byte[] entries) throws IOException, InterruptedException {
        KvTarget target = targets.get(index);
        boolean several = digests.get(index).severalFamilies();
        for (int entry = 0; entry < entries.length; entry += SortBuffer.entryBytes(entries, entry)) {
            int key = SortBuffer.keyOffset(entries, entry);
            int keyLength = SortBuffer.keyLength(entries, entry);
            int valueLength = SortBuffer.valueLength(entries, entry);
            byte[] room = target.room(keyLength + valueLength);
            System.arraycopy(entries, key, room, target.position(), keyLength + valueLength);
            target.added((long) keyLength << 32 | valueLength);
            encoded[index].add(entries, key, keyLength, valueLength);
            int next = SortBuffer.keyOffset(entries, entry) + keyLength + valueLength;
            // A buffer is not to be emptied between the KVs of one row.
            if (!several || next == entries.length || firstOfEntry(entries, next)) {
                out.rowEncoded();
            }
        }
    }

    private static boolean firstOfEntry(byte[] entries, int entry) {
        return EntryKeys.first(entries, SortBuffer.keyOffset(entries, entry), SortBuffer.keyLength(entries, entry));
    }

    private Recovered recovered() {
        List<IndexChecksum> sums = new ArrayList<>();
        for (int i = 0; i < encoded.length; i++) {
            sums.add(new IndexChecksum(context.table().indexes().get(i).def().name(), encoded[i].sum()));
        }
        return new Recovered(past.withSpans(spans, rows), sums);
    }
}

package io.sluice.importer.job;

import io.sluice.api.kv.IndexDigest;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.IndexChecksum;
import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.journal.JournalFile;
import io.sluice.importer.journal.JournaledChunk;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.source.ReadSpan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Brings on its way to the nodes what an earlier attempt at the import has left in its journal: KVs that were encoded,
 * and of which no note says that nodes have them. One flush group for each file, so that KVs which came in order still
 * do.
 */
final class Recovery {
    private final ImportContext context;
    private final PastWork past;
    private final BufferedOut out;
    private final StageClock clock;
    private final List<KvTarget> targets;
    private final KvChecksum.Accumulator[] encoded;
    private final Map<Integer, List<ReadSpan>> spans = new TreeMap<>();
    private long rows;

    private Recovery(ImportContext context, PastWork past, BufferedOut out) {
        this.context = context;
        this.past = past;
        this.out = out;
        clock = new StageClock(context.progress());
        targets = List.copyOf(out.targets());
        encoded = IndexDigest.ofAll(context.table()).stream()
                .map(KvChecksum.Accumulator::new)
                .toArray(KvChecksum.Accumulator[]::new);
    }

    /**
     * What need not be read again, besides what was noted.
     *
     * @param done all that earlier attempts have done; the sums are of what was noted
     * @param encoded what was taken from the journal, per index
     */
    record Recovered(PastWork done, List<IndexChecksum> encoded) {}

    /**
     * Recovers.
     *
     * @param past what notes say
     * @param out takes the KVs; used by nobody else
     */
    static Recovered run(ImportContext context, PastWork past, List<JournalFile> left, BufferedOut out)
            throws IOException, InterruptedException {
        Recovery recovery = new Recovery(context, past, out);
        for (JournalFile file : left) {
            out.keep(file);
            file.read(recovery.targets.size(), recovery::take);
            out.inputEnded(recovery.clock);
        }
        return recovery.recovered();
    }

    private void take(JournaledChunk piece) throws IOException, InterruptedException {
        // Nodes have taken the group that the file was for, and it was not written over yet.
        if (past.spans().contains(piece.input(), piece.span().start())) {
            return;
        }
        clock.enter(Stage.SORT);
        for (int i = 0; i < encoded.length; i++) {
            take(i, piece.entries()[i]);
        }
        long bytes = piece.span().end() - piece.span().start();
        out.pieceEnded(new ReadSplit(piece.input(), -1, piece.span(), bytes, piece.rows(), 0), clock);
        spans.computeIfAbsent(piece.input(), input -> new ArrayList<>()).add(piece.span());
        rows += piece.rows();
    }

    private void take(int index, byte[] entries) throws IOException, InterruptedException {
        KvTarget target = targets.get(index);
        for (int entry = 0; entry < entries.length; entry += SortBuffer.entryBytes(entries, entry)) {
            int key = SortBuffer.keyOffset(entries, entry);
            int keyLength = SortBuffer.keyLength(entries, entry);
            int valueLength = SortBuffer.valueLength(entries, entry);
            byte[] room = target.room(keyLength + valueLength);
            System.arraycopy(entries, key, room, target.position(), keyLength + valueLength);
            target.added((long) keyLength << 32 | valueLength);
            encoded[index].add(entries, key, keyLength, valueLength);
            out.rowEncoded(clock);
        }
    }

    private Recovered recovered() {
        List<IndexChecksum> sums = new ArrayList<>();
        for (int i = 0; i < encoded.length; i++) {
            sums.add(new IndexChecksum(context.table().indexes().get(i).def().name(), encoded[i].sum()));
        }
        return new Recovered(past.having(spans, rows), sums);
    }
}

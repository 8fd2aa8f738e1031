package io.sluice.engine.lsm;

import io.sluice.engine.compact.SublevelMap;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The live files of one column family in the order of their arrival, as changed by events. For one thread. */
public final class LsmState {
    private final Map<String, TreeFile> files = new LinkedHashMap<>();
    private long bytesIngested;
    private long bytesWritten;
    /** The figures of the files; null after a change. Many events change no file. */
    private @Nullable LsmFigures measured;

    /** Applies one event. */
    public void apply(long seq, LsmEvent event) {
        Map<String, TreeFile> before = new LinkedHashMap<>();
        if (event.replacesAll()) {
            before.putAll(files);
            files.clear();
        }
        for (String name : event.removed()) {
            TreeFile gone = files.remove(name);
            if (gone != null) {
                before.put(name, gone);
            }
        }
        List<TreeFile> added = new ArrayList<>();
        for (LsmFile file : event.added()) {
            TreeFile old = before.get(file.name());
            added.add(
                    old == null
                            ? new TreeFile(file, originOf(event), seq)
                            : new TreeFile(file, old.origin(), old.bornSeq()));
        }
        if (!before.isEmpty() || !added.isEmpty()) {
            measured = null;
        }
        added.forEach(file -> files.put(file.file().name(), file));
        bytesIngested += event.arrivedBytes();
        bytesWritten += event.writtenBytes();
    }

    /** Applies one entry, and takes its totals, because the history may have begun before the first kept event. */
    void apply(LsmEntry entry) {
        apply(entry.seq(), entry.event());
        bytesIngested = entry.after().bytesIngested();
        bytesWritten = entry.after().bytesWritten();
    }

    private static Origin originOf(LsmEvent event) {
        if (event instanceof LsmEvent.CompactionEnd) {
            return Origin.COMPACTED;
        }
        if (event instanceof LsmEvent.Flush || event instanceof LsmEvent.SmallSstFlush) {
            return Origin.FLUSHED;
        }
        return event instanceof LsmEvent.Ingest ? Origin.INGESTED : Origin.BEFORE;
    }

    /** The live files in the order of their arrival; a moved file counts as a new arrival. */
    public Collection<TreeFile> files() {
        return Collections.unmodifiableCollection(files.values());
    }

    /** The live file of that name, or null. */
    public @Nullable TreeFile file(String name) {
        return files.get(name);
    }

    /**
     * Builds the map of the live files by sublevels.
     *
     * @throws IllegalArgumentException when the files cannot be one tree, because events are missing
     */
    public SublevelMap sublevels() {
        List<LsmFile> all = files.values().stream().map(TreeFile::aged).toList();
        return SublevelMap.of(all, all.stream().mapToInt(LsmFile::level).max().orElse(0));
    }

    /** The current figures of the tree. Takes O(n log n) in the number of files after a change. */
    public LsmFigures figures() {
        LsmFigures known = measured;
        if (known == null) {
            known = measure();
            measured = known;
        }
        return new LsmFigures(
                known.height(), known.files(), known.l0Files(), known.bytes(), bytesIngested, bytesWritten);
    }

    private LsmFigures measure() {
        List<LsmFile> live = files.values().stream().map(TreeFile::file).toList();
        int height = KeyBounds.maxHeight(live.stream().map(LsmFile::bounds).toList());
        int l0 = (int) live.stream().filter(file -> file.level() == 0).count();
        return new LsmFigures(height, live.size(), l0, LsmFile.bytesOf(live), 0, 0);
    }
}

package io.sluice.importer.job;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.OverlapReport;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.conflict.Contender;
import io.sluice.importer.conflict.DroppedRows;
import io.sluice.importer.conflict.Fingerprint;
import io.sluice.importer.conflict.Resolution;
import io.sluice.importer.sort.ConflictKeys;
import io.sluice.importer.sort.ConflictLog;
import io.sluice.importer.source.InputFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settles the conflicts of an import, once it is known at which keys there are some: reads the input again for the rows
 * that hold one of them, asks the table who holds them there, and lets the policy decide row by row.
 */
final class ConflictResolver {
    private final ImportContext context;
    private final List<InputFile> inputs;

    ConflictResolver(ImportContext context, List<InputFile> inputs) {
        this.context = context;
        this.inputs = inputs;
    }

    /**
     * What the next attempt at the import is to do differently.
     *
     * @param dropped rows of the input to leave out
     * @param replaced primary keys of rows of the table that give way
     * @param conflicts how many there were
     */
    record Decision(DroppedRows dropped, List<byte[]> replaced, long conflicts) {
        /** Of an import without conflicts so far. */
        static final Decision NONE = new Decision(DroppedRows.NONE, List.of(), 0);
    }

    /**
     * Decides.
     *
     * @param complete whether the log has all keys in conflict; otherwise they are searched first
     * @param met what the table has; null: the table is new
     * @throws BadInputException when the policy is not to have conflicts, or the input cannot be read again
     */
    Decision decide(boolean complete, @Nullable OverlapReport met) throws IOException, InterruptedException {
        ConflictPolicy policy = context.settings().onConflict();
        if (policy == ConflictPolicy.ERROR) {
            throw refusal(met);
        }
        ensureRepeatable(policy);
        if (!complete) {
            new RepeatSearch(context, inputs).run();
        }
        ConflictLog log = context.conflicts();
        if (log.keys().overflowed()) {
            throw new BadInputException(log.conflicts() + " keys are in conflict, and --memory has room for "
                    + log.keys().most()
                    + "; is the key the right one? If so, give more --memory. Nothing was imported");
        }
        List<Contender> rows = scan(log.keys());
        Map<Fingerprint, OverlapReport.Holder> holders = met == null ? Map.of() : holders(rows);
        Map<Fingerprint, Fingerprint> existing = new HashMap<>();
        Map<Fingerprint, byte[]> primaryKeys = new HashMap<>();
        holders.forEach((key, holder) -> {
            Fingerprint identity = Fingerprint.of(holder.key(), holder.value());
            existing.put(key, identity);
            primaryKeys.put(identity, holder.key());
        });
        Resolution resolution = Resolution.of(rows, existing, policy);
        return new Decision(
                new DroppedRows(resolution.drops()),
                primaryKeys.entrySet().stream()
                        .filter(row -> resolution.replaced().contains(row.getKey()))
                        .map(Map.Entry::getValue)
                        .toList(),
                log.conflicts());
    }

    /** Checks that conflicts were not settled before: then there are none, if the input is what it was. */
    static void ensureFirst(Decision decision) {
        if (decision.conflicts() > 0) {
            throw new OperationFailedException("rows have the same key although those that give way were left out: the"
                    + " input or the table changed meanwhile. Nothing was imported; import again");
        }
    }

    private void ensureRepeatable(ConflictPolicy policy) {
        for (InputFile input : inputs) {
            if (!input.repeatable()) {
                throw new BadInputException("some rows have the same key; --on-conflict " + policy.label()
                        + " reads the input again to find them, and " + input.name()
                        + " can be read only once. Nothing was imported; save it to a file, and import that");
            }
        }
    }

    private List<Contender> scan(ConflictKeys keys) throws InterruptedException {
        Reading reading = new Reading(context.table(), context.settings(), context.memory(), new ImportProgress());
        long mostBytes = context.settings().memoryBytes() / 2;
        return new ContenderScan(reading, inputs, keys, mostBytes).run();
    }

    /** Who holds the contenders' keys in the table, by the keys' fingerprints. */
    private Map<Fingerprint, OverlapReport.Holder> holders(List<Contender> rows) {
        Map<Fingerprint, OverlapReport.IndexKey> keys = new LinkedHashMap<>();
        for (Contender row : rows) {
            row.claims()
                    .forEach(claim ->
                            keys.put(claim.keyPrint(), new OverlapReport.IndexKey(claim.index(), claim.key())));
        }
        return ask(keys);
    }

    private Map<Fingerprint, OverlapReport.Holder> ask(Map<Fingerprint, OverlapReport.IndexKey> keys) {
        List<OverlapReport.@Nullable Holder> answers = context.session().holders(List.copyOf(keys.values()));
        Map<Fingerprint, OverlapReport.Holder> holders = new HashMap<>();
        int i = 0;
        for (Fingerprint key : keys.keySet()) {
            OverlapReport.Holder holder = answers.get(i++);
            if (holder != null) {
                holders.put(key, holder);
            }
        }
        return holders;
    }

    /** The error for an import that must not have conflicts; with the places of the rows, if they can be found. */
    private BadInputException refusal(@Nullable OverlapReport met) throws InterruptedException {
        ConflictLog log = context.conflicts();
        List<OverlapReport.IndexKey> collisions = met == null
                ? List.of()
                : met.collisions().stream().limit(ConflictReport.SHOWN).toList();
        ConflictKeys keys = new ConflictKeys(1 << 20);
        log.first().forEach(conflict -> keys.add(conflict.key(), 0, conflict.key().length));
        collisions.forEach(collision -> keys.add(collision.key(), 0, collision.key().length));
        List<Contender> rows = List.of();
        if (inputs.stream().allMatch(InputFile::repeatable)) {
            try {
                rows = scan(keys);
            } catch (BadInputException e) {
                // There are too many to say where they all are; what they are is still worth saying.
                rows = new ArrayList<>();
            }
        }
        Map<Fingerprint, OverlapReport.IndexKey> asked = new LinkedHashMap<>();
        collisions.forEach(each -> asked.put(Fingerprint.of(each.key(), 0, each.key().length), each));
        ConflictReport report = new ConflictReport(context.table(), rows);
        return report.refuse(log, collisions, asked.isEmpty() ? Map.of() : ask(asked));
    }
}

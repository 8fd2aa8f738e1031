package io.sluice.importer.job.verify;

import io.sluice.api.node.OverlapReport;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.conflict.Contender;
import io.sluice.importer.conflict.DroppedRows;
import io.sluice.importer.conflict.Fingerprint;
import io.sluice.importer.conflict.Resolution;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.output.ImportContext;
import io.sluice.importer.job.read.Reading;
import io.sluice.importer.sort.ConflictKeys;
import io.sluice.importer.sort.ConflictLog;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexEncoder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the conflicts of an import. It reads the input again for the rows with conflicting keys, asks the nodes for
 * the table's rows with these keys, and applies the policy row by row.
 */
public final class ConflictResolver {
    private final ImportContext context;
    private final List<InputFile> inputs;

    public ConflictResolver(ImportContext context, List<InputFile> inputs) {
        this.context = context;
        this.inputs = inputs;
    }

    /**
     * The resolution of all conflicts, for the next attempt at the import.
     *
     * @param dropped rows of the input to leave out
     * @param replaced primary keys of the table's rows that lose and are removed
     * @param conflicts number of conflicting keys
     */
    public record Decision(DroppedRows dropped, List<byte[]> replaced, long conflicts) {
        /** No conflict found yet. */
        public static final Decision NONE = new Decision(DroppedRows.NONE, List.of(), 0);
    }

    /**
     * Resolves the conflicts.
     *
     * @param complete whether the log has all conflicting keys; if not, the input is searched for them first
     * @param overlap the overlap with the table; null for a new table
     * @throws BadInputException when the policy is {@code error}, or the input cannot be read again
     */
    public Decision decide(boolean complete, @Nullable OverlapReport overlap) throws IOException, InterruptedException {
        ConflictPolicy policy = context.settings().onConflict();
        if (policy == ConflictPolicy.ERROR) {
            throw refusal(overlap);
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
        Map<Fingerprint, OverlapReport.Holder> holders = overlap == null ? Map.of() : holders(rows);
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

    /** Fails if an earlier attempt has resolved conflicts already: an unchanged input has none left then. */
    public static void ensureFirst(Decision decision) {
        if (decision.conflicts() > 0) {
            throw new OperationFailedException("rows have the same key although the losing rows were left out: the"
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
        Reading reading = new Reading(
                context.table(),
                // The identity of a row is that of all its columns.
                severalFamilies()
                        ? () -> IndexEncoder.ofAll(context.table().inOneFamily())
                        : context.reading().encoders(),
                context.settings(),
                context.memory(),
                new ImportProgress(),
                DroppedRows.NONE);
        long mostBytes = context.settings().resources().memoryBytes() / 2;
        return new ContenderScan(reading, inputs, keys, mostBytes).run();
    }

    private boolean severalFamilies() {
        return context.table().def().families() > 1;
    }

    /** The table's rows with the contenders' keys, by fingerprint of the key. */
    private Map<Fingerprint, OverlapReport.Holder> holders(List<Contender> rows) {
        Map<Fingerprint, OverlapReport.IndexKey> keys = new LinkedHashMap<>();
        for (Contender row : rows) {
            row.keys().forEach(held -> keys.put(held.keyPrint(), new OverlapReport.IndexKey(held.index(), held.key())));
        }
        return ask(keys);
    }

    private Map<Fingerprint, OverlapReport.Holder> ask(Map<Fingerprint, OverlapReport.IndexKey> keys) {
        List<OverlapReport.@Nullable Holder> answers =
                Objects.requireNonNull(context.session().append()).holders(List.copyOf(keys.values()));
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

    /** The error for policy {@code error}, with the positions of the rows if the input can be read again. */
    private BadInputException refusal(@Nullable OverlapReport overlap) throws InterruptedException {
        ConflictLog log = context.conflicts();
        List<OverlapReport.IndexKey> collisions = overlap == null
                ? List.of()
                : overlap.collisions().stream().limit(ConflictReport.SHOWN).toList();
        ConflictKeys keys = new ConflictKeys(1 << 20);
        log.first().forEach(conflict -> keys.add(conflict.key(), 0, conflict.key().length));
        collisions.forEach(collision -> keys.add(collision.key(), 0, collision.key().length));
        List<Contender> rows = List.of();
        if (inputs.stream().allMatch(InputFile::repeatable)) {
            try {
                rows = scan(keys);
            } catch (BadInputException e) {
                // Too many rows to find all positions; the error still names the keys.
                rows = new ArrayList<>();
            }
        }
        Map<Fingerprint, OverlapReport.IndexKey> requested = new LinkedHashMap<>();
        collisions.forEach(each -> requested.put(Fingerprint.of(each.key()), each));
        ConflictReport report =
                new ConflictReport(context.table(), context.session().plain() != null, rows);
        return report.refuse(log, collisions, requested.isEmpty() ? Map.of() : ask(requested));
    }
}

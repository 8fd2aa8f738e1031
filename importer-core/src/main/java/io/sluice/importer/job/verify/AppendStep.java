package io.sluice.importer.job.verify;

import io.sluice.api.node.AppendSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.OverlapReport;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.output.ImportContext;
import io.sluice.importer.job.verify.ConflictResolver.Decision;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Checks the rows of an append against the table's rows; takes the place of verification. The new rows wait in staging
 * until then. A row that the table has already is a repeat and changes nothing, so an import can run twice. A row with
 * a key of the table and another value is a conflict.
 */
public final class AppendStep {
    /** Colliding keys may take an eighth of the memory. Each takes some 128 bytes, its container included. */
    private static final int COLLISION_SHARE = 8 * 128;

    private final ImportContext context;
    private final List<InputFile> inputs;
    private final int mostCollisions;
    private final AppendSession append;

    public AppendStep(ImportContext context, List<InputFile> inputs) {
        this.context = context;
        this.inputs = inputs;
        append = Objects.requireNonNull(context.session().append());
        mostCollisions = (int) Math.min(1 << 24, context.settings().resources().memoryBytes() / COLLISION_SHARE);
    }

    /**
     * The result of the overlap check.
     *
     * @param after checksums of the table after publication, per index
     * @param added checksums of the new KVs, per index
     * @param decision the resolution of the conflicts
     * @param retry what the next attempt must do differently; null: this attempt can be published
     */
    public record Overlap(
            List<IndexChecksum> after,
            List<IndexChecksum> added,
            Decision decision,
            @Nullable Decision retry) {}

    /**
     * Compares the shipped KVs with the table's, and resolves conflicts.
     *
     * @param decision the resolution by an earlier attempt
     * @param shipped checksums of the shipped KVs, per index
     */
    public Overlap checkOverlap(Decision decision, List<IndexChecksum> shipped)
            throws IOException, InterruptedException {
        if (!decision.replaced().isEmpty()) {
            append.replace(decision.replaced());
        }
        OverlapReport overlap = append.checkOverlap(mostCollisions);
        Decision resolved = decision;
        if (context.conflicts().conflicts() > 0 || overlap.collided() > 0) {
            ConflictResolver.ensureFirst(decision);
            if (overlap.collided() > overlap.collisions().size()
                    && context.settings().onConflict() != ConflictPolicy.ERROR) {
                throw new BadInputException("table " + context.table().name() + " has " + overlap.collided()
                        + " keys of the input with other values; at most "
                        + overlap.collisions().size()
                        + " fit this --memory. Nothing was imported; give more memory, or import the input in parts");
            }
            overlap.collisions().forEach(collision -> context.conflicts().collided(collision.key()));
            context.conflicts().addConflicts(overlap.collided());
            resolved = new ConflictResolver(context, inputs).decide(true, overlap);
            if (!resolved.dropped().isEmpty()) {
                return new Overlap(List.of(), List.of(), resolved, resolved);
            }
            append.replace(resolved.replaced());
            overlap = append.checkOverlap(mostCollisions);
        }
        if (context.settings().verification() == ImportSettings.Verification.FULL) {
            readBack(overlap.after());
        }
        List<IndexChecksum> added = new ArrayList<>();
        for (int i = 0; i < shipped.size(); i++) {
            IndexChecksum all = shipped.get(i);
            IndexChecksum repeated = overlap.repeated().get(i);
            context.conflicts().repeated(i, repeated.sum().count());
            added.add(new IndexChecksum(all.index(), all.sum().minus(repeated.sum())));
        }
        return new Overlap(overlap.after(), added, resolved, null);
    }

    /**
     * Reads back the whole table and the staged rows, and compares their checksums. Nothing is published yet.
     *
     * @param after checksums of the table after publication
     * @throws OperationFailedException when the checksums differ
     */
    private void readBack(List<IndexChecksum> after) {
        Verifier.check(
                context.table(),
                "to be in the table",
                after,
                "read back",
                context.session().readBack().indexes());
    }
}

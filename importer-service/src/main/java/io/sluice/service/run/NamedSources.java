package io.sluice.service.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.api.wire.FieldError;
import io.sluice.importer.bundle.Bundle;
import io.sluice.importer.bundle.BundleWriter;
import io.sluice.importer.job.Replay;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.source.SourceSettings;
import io.sluice.importer.source.remote.RemoteInputs;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobState;
import io.sluice.service.spec.ImportSpec;
import io.sluice.service.spec.ImportSpec.Origin;
import io.sluice.service.spec.InvalidSpecException;
import io.sluice.service.spec.SourceRoots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens the reject bundles and staged sets that requests name: below the roots of the service, or the bundle of one of
 * its jobs.
 */
final class NamedSources {
    private static final String MANIFEST = "manifest.json";
    private static final List<String> BUNDLE_FILES = List.of(MANIFEST, "rejects.jsonl");

    private final SourceRoots roots;
    private final JobRegistry jobs;

    NamedSources(SourceRoots roots, JobRegistry jobs) {
        this.roots = roots;
        this.jobs = jobs;
    }

    /**
     * Adds to a request for a bundle or a set what that says of its table. Other requests stay as they are.
     *
     * @throws io.sluice.model.error.BadInputException if there is none that the service may read
     * @throws InvalidSpecException if its member is empty, or no text
     */
    JsonNode completed(JsonNode body) {
        Origin origin = Origin.of(body);
        if (origin == Origin.INPUTS) {
            return body;
        }
        String place = ImportSpec.place(body, origin);
        ObjectNode completed = body.deepCopy();
        if (origin == Origin.BUNDLE) {
            Bundle bundle = replay(place).bundle();
            completed.put("schema", bundle.manifest().imported().schema());
            return completed.put("table", bundle.table().name()).put("append", true);
        }
        StagedSet set = set(place, ImportSpec.settings(body));
        completed.put("schema", set.manifest().target().schema());
        completed.put("setId", set.manifest().setId().toString());
        return completed.put("table", set.manifest().target().table());
    }

    /** The records of a bundle. */
    Replay replay(String place) {
        Job job = jobOf(place);
        if (job != null) {
            if (job.state() == JobState.SUCCEEDED_WITH_REJECTS) {
                // Another service may have published its table.
                BundleWriter.complete(Path.of(place));
            }
            Bundle own = Bundle.open(Path.of(place));
            return Replay.of(own, own.inputs());
        }
        Bundle bundle = Bundle.open(roots.directory(place, BUNDLE_FILES));
        return Replay.of(bundle, roots.resolve(bundle.dataFiles(), Bundle.SOURCE));
    }

    /** The job whose bundle a place is; null if it is that of none. */
    private @Nullable Job jobOf(String place) {
        try {
            Path bundle = Path.of(place).toAbsolutePath().normalize();
            Path directory = bundle.getParent();
            Path id = directory == null ? null : directory.getFileName();
            Job job = id == null ? null : jobs.find(id.toString());
            Path its = job == null ? null : Preparation.bundle(job);
            return its != null && Files.isDirectory(bundle) && Files.isSameFile(bundle, its) ? job : null;
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    /** A staged set; only its manifest is read. */
    StagedSet set(String place, SourceSettings settings) {
        List<FieldError> errors = roots.check(List.of(place), settings);
        if (!errors.isEmpty()) {
            FieldError first = errors.get(0);
            String named = first.field();
            String field = named == null || named.equals("/inputs/0") ? "/" + Origin.SET.member() : named;
            throw new InvalidSpecException(List.of(FieldError.of(field, first.code(), first.message())));
        }
        SetPlace at = RemoteInputs.isRemote(place)
                ? SetPlace.of(place, settings.s3())
                : SetPlace.of(roots.directory(place, List.of(MANIFEST)));
        return StagedSet.open(at).forIngest();
    }
}

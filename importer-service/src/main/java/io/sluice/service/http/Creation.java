package io.sluice.service.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import io.sluice.api.wire.FieldError;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.http.ApiRequest;
import io.sluice.http.Bodies;
import io.sluice.http.Caller;
import io.sluice.http.ProblemException;
import io.sluice.http.Role;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.model.error.BadInputException;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobRecord.CreatedBy;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.run.JobRuns;
import io.sluice.service.spec.ImportSpec;
import io.sluice.service.spec.ImportSpec.Origin;
import io.sluice.service.spec.InvalidSpecException;
import io.sluice.service.spec.SourceRoots;
import java.io.IOException;
import java.io.StringWriter;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Handles {@code POST /v1/imports}: creates a job, or returns the plan of one. */
final class Creation {
    private static final Pattern KEY = Pattern.compile("[!-~]{1,128}");
    private static final long FULL_AGAIN_MILLIS = 5_000;

    private final JobRegistry jobs;
    private final SourceRoots roots;
    private final JobRuns runs;
    private final JobResource resource;

    Creation(JobRegistry jobs, SourceRoots roots, JobRuns runs, JobResource resource) {
        this.jobs = jobs;
        this.roots = roots;
        this.runs = runs;
        this.resource = resource;
    }

    /** The response to a request, and the id of the job that it created or named. */
    record Outcome(HttpResponse answer, String job) {}

    Outcome create(ApiRequest request) {
        requireJson(request);
        CreatedBy by = createdBy(request);
        Outcome before = by == null ? null : repeated(jobs.before(by));
        if (before != null) {
            return before;
        }
        JsonNode body = completed(Bodies.tree(request.body()));
        ImportSpec spec = spec(body);
        boolean replaces = spec.append() && spec.rules().onConflict() == ConflictPolicy.LAST;
        if (replaces && !Caller.may(request.ctx(), Role.OPERATE)) {
            throw Caller.refusal(request.ctx(), Role.OPERATE, "an import that replaces rows");
        }
        String named = spec.jobId();
        String id = named == null ? UUID.randomUUID().toString() : named;
        JobRegistry.Creation made = jobs.create(id, spec.target().table().name(), spec.labels(), body, by);
        Outcome again = repeated(made);
        if (again != null) {
            return again;
        }
        if (made instanceof JobRegistry.Creation.Full full) {
            throw new ProblemException(Problem.of(
                            ProblemKind.DEFERRED,
                            full.pending()
                                    + " imports wait for their turn, as many as this service lets; try again later")
                    .waitingFor("queue")
                    .again(FULL_AGAIN_MILLIS));
        }
        if (made instanceof JobRegistry.Creation.Taken) {
            throw new ProblemException(
                    ProblemKind.CONFLICT,
                    "there is an import " + id + " already; ask for /v1/imports/" + id + ", or take another jobId");
        }
        return accepted(((JobRegistry.Creation.Created) made).job());
    }

    /** Requires a JSON body. The check also forces a CORS preflight on web pages of other origins. */
    static void requireJson(ApiRequest request) {
        MediaType type = request.headers().contentType();
        if (type == null || !type.belongsTo(MediaType.JSON)) {
            throw new ProblemException(ProblemKind.UNSUPPORTED_MEDIA_TYPE, "send the body as application/json");
        }
    }

    private Outcome accepted(Job job) {
        ObjectNode body = resource.of(job);
        ResponseHeaders headers = ResponseHeaders.builder(HttpStatus.ACCEPTED)
                .contentType(MediaType.JSON_UTF_8)
                .set(HttpHeaderNames.LOCATION, "/v1/imports/" + job.id())
                .set(HttpHeaderNames.ETAG, JobResource.etag(job))
                .build();
        return new Outcome(HttpResponse.of(headers, HttpData.ofUtf8(body.toString())), job.id());
    }

    /** Creates the response to a repeated idempotency key; null for a new key. */
    private @Nullable Outcome repeated(JobRegistry.@Nullable Creation before) {
        if (before instanceof JobRegistry.Creation.Repeated same) {
            return accepted(same.job());
        }
        if (before instanceof JobRegistry.Creation.UnderWay) {
            throw new ProblemException(
                    Problem.of(ProblemKind.CONFLICT, "a request with this Idempotency-Key is being answered just now")
                            .again(1_000));
        }
        if (before instanceof JobRegistry.Creation.OtherBody other) {
            throw new ProblemException(
                    ProblemKind.KEY_REUSED,
                    "this Idempotency-Key came with another body before, for import "
                            + other.job().id() + "; take a new key for a new import");
        }
        return null;
    }

    private static @Nullable CreatedBy createdBy(ApiRequest request) {
        String key = request.headers().get("idempotency-key");
        if (key == null) {
            return null;
        }
        if (!KEY.matcher(key).matches()) {
            throw new BadInputException("Idempotency-Key: must be 1 to 128 visible ASCII characters");
        }
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(request.body());
            return new CreatedBy(key, HexFormat.of().formatHex(hash));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    private JsonNode completed(JsonNode body) {
        try {
            return runs.completed(body);
        } catch (InvalidSpecException e) {
            throw invalid(e);
        }
    }

    private ImportSpec spec(JsonNode body) {
        try {
            ImportSpec spec = ImportSpec.of(body);
            List<FieldError> errors = spec.source().origin() == Origin.INPUTS
                    ? roots.check(spec.source().inputs(), spec.source().settings())
                    : List.of();
            if (!errors.isEmpty()) {
                throw new InvalidSpecException(errors);
            }
            return spec;
        } catch (InvalidSpecException e) {
            throw invalid(e);
        }
    }

    static ProblemException invalid(InvalidSpecException e) {
        int more = e.errors().size() - 1;
        return new ProblemException(Problem.of(
                        ProblemKind.BAD_REQUEST, e.getMessage() + (more == 0 ? "" : "; and " + more + " more errors"))
                .because(e.errors()));
    }

    /** Whether a request asks for a plan alone. */
    static boolean isDryRun(ApiRequest request) {
        String text = request.query("dryRun");
        if (text == null || text.equals("false")) {
            return false;
        }
        if (text.equals("true")) {
            return true;
        }
        throw new BadInputException("dryRun " + text + ": must be true or false");
    }

    /** The plan of the job that a request would create. */
    HttpResponse plan(ApiRequest request) {
        requireJson(request);
        ImportSpec spec = spec(completed(Bodies.tree(request.body())));
        if (spec.source().origin() != Origin.INPUTS) {
            throw new BadInputException("dryRun: only an import of inputs has a plan");
        }
        StringWriter text = new StringWriter();
        try (var json = Bodies.JSON.createGenerator(text)) {
            runs.plan(spec).writeTo(json);
        } catch (InvalidSpecException e) {
            throw invalid(e);
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory", e);
        }
        return HttpResponse.of(HttpStatus.OK, MediaType.JSON_UTF_8, text.toString());
    }
}

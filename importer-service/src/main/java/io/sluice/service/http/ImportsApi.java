package io.sluice.service.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.Failures;
import io.sluice.http.ProblemException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobRecord;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobState;
import io.sluice.service.job.JobState.Action;
import io.sluice.service.observe.AuditLog;
import io.sluice.service.run.JobRuns;
import io.sluice.service.run.Target;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Handles the API requests about jobs; openapi.yaml has the contract. */
final class ImportsApi {
    static final String ID = "id";

    private final JobRegistry jobs;
    private final JobRuns runs;
    private final Target target;
    private final Creation creation;
    private final JobResource resource;
    private final AuditLog audit;

    ImportsApi(JobRegistry jobs, JobRuns runs, Target target, Creation creation, JobResource resource, AuditLog audit) {
        this.jobs = jobs;
        this.runs = runs;
        this.target = target;
        this.creation = creation;
        this.resource = resource;
        this.audit = audit;
    }

    /** Handles {@code POST /v1/imports}. A plan changes nothing, so that the audit log does not have it. */
    HttpResponse create(ApiRequest request) {
        if (Creation.isDryRun(request)) {
            return creation.plan(request);
        }
        try {
            Creation.Outcome outcome = creation.create(request);
            audit(request, "create", outcome.job(), HttpStatus.ACCEPTED.code());
            return outcome.answer();
        } catch (ProblemException e) {
            audit(request, "create", null, e.problem().kind().status());
            throw e;
        } catch (BadInputException e) {
            audit(request, "create", null, HttpStatus.BAD_REQUEST.code());
            throw e;
        } catch (ChangeRefusedException e) {
            throw takenOver(request, "create", null, e);
        }
    }

    /** The problem of a change after another service has taken the jobs over, which a client reaches by another try. */
    private ProblemException takenOver(
            ApiRequest request, String action, @Nullable String job, ChangeRefusedException refused) {
        Problem busy = Failures.busy(refused.getMessage() + "; try again, at any of its services", "service");
        audit(request, action, job, busy.kind().status());
        return new ProblemException(busy);
    }

    HttpResponse list(ApiRequest request) {
        Paging paging = Paging.of(request);
        JobFilter filter = JobFilter.of(request);
        ObjectNode page = JsonNodeFactory.instance.objectNode();
        ArrayNode imports = page.putArray("imports");
        long last = 0;
        for (Job job : paging.after() == 0 ? jobs.newestFirst() : jobs.olderThan(paging.after())) {
            if (!filter.takes(job)) {
                continue;
            }
            if (imports.size() == paging.size()) {
                page.put("nextPageToken", Paging.token(last));
                break;
            }
            imports.add(resource.of(job));
            last = job.record().number();
        }
        ObjectNode counts = page.putObject("counts");
        for (JobState state : JobState.values()) {
            counts.put(state.label(), jobs.in(state));
        }
        return Answers.ok(page);
    }

    HttpResponse get(ApiRequest request) {
        Job job = job(request);
        String etag = JobResource.etag(job);
        // Progress of an active job changes without a new version, and the client wants to see it.
        if (!job.state().isActive() && etag.equals(request.headers().get(HttpHeaderNames.IF_NONE_MATCH))) {
            return HttpResponse.of(ResponseHeaders.of(HttpStatus.NOT_MODIFIED, HttpHeaderNames.ETAG, etag));
        }
        return shown(HttpStatus.OK, job);
    }

    /** Handles {@code POST /v1/imports/ID:ACTION}. */
    HttpResponse act(ApiRequest request) {
        String path = request.path(ID);
        int colon = path.lastIndexOf(':');
        Action action = colon < 0 ? null : action(path.substring(colon + 1));
        if (action == null) {
            throw new ProblemException(
                    ProblemKind.NOT_FOUND, "post to /v1/imports/ID:pause, ID:resume or ID:cancel, or to /v1/imports");
        }
        Job job = find(path.substring(0, colon));
        String expected = request.headers().get(HttpHeaderNames.IF_MATCH);
        Predicate<JobRecord> matches =
                record -> expected == null || expected.equals("*") || expected.equals(JobResource.etag(record));
        JobState next;
        try {
            next = jobs.act(job, action, matches);
        } catch (ChangeRefusedException e) {
            throw takenOver(request, action.label(), job.id(), e);
        }
        if (next == null && !matches.test(job.record())) {
            audit(request, action.label(), job.id(), HttpStatus.PRECONDITION_FAILED.code());
            throw new ProblemException(Problem.of(
                            ProblemKind.PRECONDITION_FAILED,
                            "import " + job.id() + " is " + job.state().label() + " by now; its ETag is "
                                    + JobResource.etag(job))
                    .inState(job.state().label()));
        }
        if (next == null) {
            audit(request, action.label(), job.id(), HttpStatus.CONFLICT.code());
            throw new ProblemException(Problem.of(
                            ProblemKind.CONFLICT,
                            "cannot " + action.label() + " import " + job.id() + ": its state is "
                                    + job.state().label())
                    .inState(job.state().label()));
        }
        audit(request, action.label(), job.id(), HttpStatus.ACCEPTED.code());
        return shown(HttpStatus.ACCEPTED, job);
    }

    private static @Nullable Action action(String word) {
        for (Action action : Action.values()) {
            if (action.label().equals(word)) {
                return action;
            }
        }
        return null;
    }

    HttpResponse files(ApiRequest request) {
        Job job = job(request);
        Paging paging = Paging.of(request);
        ObjectNode page = JsonNodeFactory.instance.objectNode();
        ArrayNode files = page.putArray("files");
        JsonNode all = runs.positions(job);
        if (all != null) {
            page.put("total", all.size());
            int end = (int) Math.min(all.size(), paging.after() + paging.size());
            for (int i = (int) Math.min(paging.after(), end); i < end; i++) {
                files.add(all.get(i));
            }
            if (end < all.size()) {
                page.put("nextPageToken", Paging.token(end));
            }
        }
        return Answers.ok(page);
    }

    HttpResponse rejects(ApiRequest request) {
        return Answers.ok(RejectPages.of(JobRuns.bundle(job(request)), Paging.of(request), filter(request, false)));
    }

    HttpResponse rejectGroups(ApiRequest request) {
        return Answers.ok(RejectPages.groups(JobRuns.bundle(job(request)), filter(request, false)));
    }

    private static RejectPages.Filter filter(ApiRequest request, boolean conflicts) {
        return new RejectPages.Filter(conflicts, request.query("code"), request.query("column"));
    }

    HttpResponse conflicts(ApiRequest request) {
        return Answers.ok(RejectPages.of(JobRuns.bundle(job(request)), Paging.of(request), filter(request, true)));
    }

    HttpResponse samples(ApiRequest request) {
        ObjectNode samples = runs.samples(job(request));
        samples.remove("every");
        return Answers.ok(samples);
    }

    HttpResponse verification(ApiRequest request) {
        Job job = job(request);
        JsonNode found = runs.verification(job);
        if (found == null) {
            throw new ProblemException(
                    ProblemKind.NOT_FOUND, "import " + job.id() + " has not come to its verification yet");
        }
        return Answers.ok(found);
    }

    HttpResponse lsm(ApiRequest request) {
        return TargetApi.history(target, job(request).record().table());
    }

    /** Finds the job in a request's path. */
    Job job(ApiRequest request) {
        return find(request.path(ID));
    }

    Job find(String id) {
        Job job = jobs.find(id);
        if (job == null) {
            throw new ProblemException(ProblemKind.NOT_FOUND, "there is no import of that id; /v1/imports lists all");
        }
        return job;
    }

    private HttpResponse shown(HttpStatus status, Job job) {
        ResponseHeaders headers = ResponseHeaders.builder(status)
                .contentType(MediaType.JSON_UTF_8)
                .set(HttpHeaderNames.ETAG, JobResource.etag(job))
                .build();
        return HttpResponse.of(headers, HttpData.ofUtf8(resource.whole(job).toString()));
    }

    private void audit(ApiRequest request, String action, @Nullable String id, int status) {
        Job job = id == null ? null : jobs.find(id);
        audit.log(
                ServiceServer.sender(request.ctx()),
                action.toLowerCase(Locale.ROOT),
                id,
                status,
                job == null ? null : job.state().label());
    }
}

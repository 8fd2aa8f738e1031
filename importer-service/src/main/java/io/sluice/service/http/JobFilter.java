package io.sluice.service.http;

import io.sluice.http.ApiRequest;
import io.sluice.model.error.BadInputException;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobState;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The filter of a job list.
 *
 * @param states states of the jobs
 * @param table table of the jobs, or null: any
 * @param label label of the jobs, as name=value or name; or null
 * @param search lower-case text that the id or table contains; or null
 */
record JobFilter(
        Set<JobState> states,
        @Nullable String table,
        @Nullable String label,
        @Nullable String search) {
    static JobFilter of(ApiRequest request) {
        String search = request.query("search");
        return new JobFilter(
                states(request.query("state")),
                request.query("table"),
                request.query("label"),
                search == null ? null : search.toLowerCase(Locale.ROOT));
    }

    private static Set<JobState> states(@Nullable String words) {
        if (words == null || words.isEmpty()) {
            return EnumSet.allOf(JobState.class);
        }
        Set<JobState> states = EnumSet.noneOf(JobState.class);
        for (String word : words.split(",", -1)) {
            JobState state = JobState.of(word);
            if (state == null) {
                throw new BadInputException("state " + word + ": there is no such state");
            }
            states.add(state);
        }
        return states;
    }

    boolean takes(Job job) {
        return states.contains(job.state())
                && (table == null || table.equals(job.record().table()))
                && (label == null || hasLabel(job, label))
                && (search == null
                        || contains(job.id(), search)
                        || contains(job.record().table(), search));
    }

    private static boolean contains(String text, String part) {
        return text.toLowerCase(Locale.ROOT).contains(part);
    }

    private static boolean hasLabel(Job job, String wanted) {
        int equals = wanted.indexOf('=');
        String value = job.record().created().labels().get(equals < 0 ? wanted : wanted.substring(0, equals));
        return value != null && (equals < 0 || value.equals(wanted.substring(equals + 1)));
    }
}

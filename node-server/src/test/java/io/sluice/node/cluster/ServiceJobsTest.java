package io.sluice.node.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.api.wire.JobsBody;
import io.sluice.api.wire.JobsBody.Job;
import io.sluice.api.wire.JobsBody.Lease;
import io.sluice.api.wire.JobsChange;
import io.sluice.api.wire.JobsChange.Step;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The lease on the jobs of import services, by the entries of the log. */
class ServiceJobsTest {
    private static final String TAKEN = "another import service has taken over the jobs of the cluster";
    private static final String RUNS = "another import service runs the jobs of the cluster";

    private final ServiceJobs jobs = new ServiceJobs();

    private Lease lease() {
        Lease lease = jobs.lease().lease();
        assertNotNull(lease);
        return lease;
    }

    private String take(Lease seen, String service) {
        return jobs.apply(JobsChange.taking(seen, service, "http://" + service));
    }

    private List<String> ids() {
        return jobs.all().jobs().stream().map(Job::id).toList();
    }

    private static Job job(String id) {
        return new Job(id, "{\"state\":\"pending\"}", "{}");
    }

    @Test
    void onlyTheHolderChangesJobs() {
        assertNull(jobs.lease().lease());
        assertEquals("", jobs.apply(JobsChange.taking(null, "a", "http://a")));
        Lease ofA = lease();
        assertEquals("", jobs.apply(JobsChange.writing(ofA, job("one"))));
        assertEquals("", jobs.apply(JobsChange.writing(ofA, job("one"))), "repeated");
        assertEquals(List.of("one"), ids());

        // B has seen no renewal since.
        assertEquals("", take(ofA, "b"));
        Lease ofB = lease();
        assertEquals(List.of("b", 2L), List.of(ofB.holder(), ofB.term()));
        assertEquals("", take(ofA, "b"), "its answer was lost");
        assertEquals(TAKEN, jobs.apply(JobsChange.writing(ofA, job("late"))));
        assertEquals(TAKEN, jobs.apply(JobsChange.removing(ofA, job("one"))));
        assertEquals(TAKEN, jobs.apply(JobsChange.of(Step.RENEW, ofA)));
        assertEquals(TAKEN, jobs.apply(JobsChange.of(Step.RELEASE, ofA)));
        assertEquals(List.of("one"), ids());
        assertEquals("", jobs.apply(JobsChange.removing(ofB, job("one"))));
        assertEquals(List.of(), ids());
    }

    /** The node that got the request first stood still, and another one took it meanwhile. */
    @Test
    void lateRepetitionDoesNotUndoALaterState() {
        assertEquals("", jobs.apply(JobsChange.taking(null, "a", "http://a")));
        Job pending = new Job("one", "{\"version\":1,\"state\":\"pending\"}", "{}");
        Job running = new Job("one", "{\"version\":2,\"state\":\"running\"}", "{}");
        Job succeeded = new Job("one", "{\"version\":3,\"state\":\"succeeded\"}", "{}");
        for (Job each : List.of(pending, running, succeeded, running)) {
            assertEquals("", jobs.apply(JobsChange.writing(lease(), each)));
        }
        assertEquals(List.of(succeeded), jobs.all().jobs());
    }

    private static Job job(String id, long number, int version) {
        return new Job(id, "{\"number\":" + number + ",\"version\":" + version + "}", "{}");
    }

    /** The request stood still in a node until the job was removed, and perhaps another one had its id. */
    @Test
    void lateRepetitionDoesNotReviveAJob() {
        assertEquals("", jobs.apply(JobsChange.taking(null, "a", "http://a")));
        assertEquals("", jobs.apply(JobsChange.writing(lease(), job("one", 4, 1))));
        assertEquals("", jobs.apply(JobsChange.writing(lease(), job("one", 4, 2))));
        assertEquals("", jobs.apply(JobsChange.removing(lease(), job("one", 4, 2))));
        assertEquals("", jobs.apply(JobsChange.writing(lease(), job("one", 4, 2))));
        assertEquals(List.of(), jobs.all().jobs());

        Job another = job("one", 7, 1);
        assertEquals("", jobs.apply(JobsChange.writing(lease(), another)));
        assertEquals("", jobs.apply(JobsChange.writing(lease(), job("one", 4, 2))));
        assertEquals(List.of(another), jobs.all().jobs());
    }

    /** The request stood still in a node until another job had the id. */
    @Test
    void lateRemovalKeepsALaterJobOfTheId() {
        assertEquals("", jobs.apply(JobsChange.taking(null, "a", "http://a")));
        JobsChange removal = JobsChange.removing(lease(), job("one", 4, 3));
        assertEquals("", jobs.apply(JobsChange.writing(lease(), job("one", 4, 1))));
        assertEquals("", jobs.apply(JobsChange.writing(lease(), job("one", 4, 3))));
        assertEquals("", jobs.apply(removal));
        assertEquals("", jobs.apply(removal), "repeated");
        assertEquals(List.of(), jobs.all().jobs());

        Job another = job("one", 7, 1);
        assertEquals("", jobs.apply(JobsChange.writing(lease(), another)));
        assertEquals("", jobs.apply(removal));
        assertEquals(List.of(another), jobs.all().jobs());
    }

    @Test
    void aRenewalThatAnotherServiceHasNotSeenKeepsTheLease() {
        assertEquals("", jobs.apply(JobsChange.taking(null, "a", "http://a")));
        Lease seen = lease();
        assertEquals("", jobs.apply(JobsChange.of(Step.RENEW, seen)));
        assertEquals(RUNS, take(seen, "b"));
        assertEquals(RUNS, jobs.apply(JobsChange.taking(null, "b", "http://b")));
        assertEquals(1, lease().renewal());
        assertEquals("", take(lease(), "b"));
        assertEquals(RUNS, take(seen, "c"), "two have seen the same");
    }

    @Test
    void aServiceThatWasStartedAgainTakesItsLeaseAtOnce() {
        assertEquals("", jobs.apply(JobsChange.taking(null, "a", "http://a")));
        Lease before = lease();
        assertEquals("", jobs.apply(JobsChange.of(Step.RENEW, before)));
        assertEquals("", take(before, "a"));
        assertEquals(2, lease().term());
        assertEquals(TAKEN, jobs.apply(JobsChange.writing(before, job("of the process before"))));
    }

    @Test
    void aLeaseThatWasGivenUpIsFree() {
        assertEquals("", jobs.apply(JobsChange.taking(null, "a", "http://a")));
        Lease seen = lease();
        assertEquals("", jobs.apply(JobsChange.of(Step.RENEW, seen)));
        assertEquals("", jobs.apply(JobsChange.of(Step.RELEASE, seen)));
        assertEquals(TAKEN, jobs.apply(JobsChange.writing(seen, job("late"))));
        assertEquals("", take(seen, "b"));
        assertEquals("b", lease().holder());
    }

    @Test
    void aSnapshotHasAllOfIt() {
        assertEquals("", jobs.apply(JobsChange.taking(null, "a", "http://a")));
        assertEquals("", jobs.apply(JobsChange.writing(lease(), job("one"))));
        JobsBody stored = jobs.all();
        ServiceJobs copy = new ServiceJobs();
        copy.apply(JobsChange.taking(null, "z", "http://z"));
        copy.restore(stored);
        assertEquals(stored, copy.all());
        copy.restore(null);
        assertEquals(new JobsBody(null, List.of()), copy.all());
    }
}

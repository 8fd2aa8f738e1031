package io.sluice.service.run;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.NodeClient;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobRecord.Change;
import io.sluice.service.job.JobState;
import io.sluice.service.job.JobState.Action;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs whose node does not answer when they are undone. */
class JobRunsTest {
    private static final long PATIENCE_SECONDS = 120;

    private final CountDownLatch undone = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    /** A client of a node that begins no import of a failed job's table until it is released. */
    private NodeClient silent(NodeClient node, Job job) {
        return (NodeClient) Proxy.newProxyInstance(
                NodeClient.class.getClassLoader(), new Class<?>[] {NodeClient.class}, (proxy, called, arguments) -> {
                    if (called.getName().equals("beginImport")
                            && ((ImportRequest) arguments[0]).table().name().equals(job.id())
                            && job.state() == JobState.FAILED) {
                        undone.countDown();
                        assertTrue(released.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
                    }
                    try {
                        return called.invoke(node, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    @Timeout(PATIENCE_SECONDS)
    void slotOfAFailedJobDoesNotWaitForASilentNode(@TempDir Path directory) throws Exception {
        try (RealJobs jobs = new RealJobs(directory)) {
            Job failing = jobs.quick("failing");
            assertTrue(failing.become(JobState.PENDING, JobState.PRECHECKING, Change.NOTHING));
            Change begun = new Change(Change.NOTHING.reason(), null, null, "direct", "its request says so");
            assertTrue(failing.become(JobState.PRECHECKING, JobState.RUNNING, begun));
            assertTrue(failing.become(JobState.RUNNING, JobState.PAUSED, Change.because("a client asked for it")));
            Files.delete(jobs.inputs.resolve("failing.csv"));
            Target target =
                    new Target(silent(jobs.node, failing), 1, directory.resolve("work"), null, table -> null, List::of);
            JobRuns runs = new JobRuns(
                    jobs.registry, target, jobs.roots, new RunSettings(1, 64 << 20, 1, "test"), Clock.systemUTC());
            try {
                assertNotNull(jobs.registry.act(failing, Action.RESUME));
                jobs.await(failing, JobState.FAILED);
                assertTrue(undone.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
                jobs.await(jobs.quick("next"), JobState.SUCCEEDED);
            } finally {
                released.countDown();
                runs.close();
            }
        }
    }
}

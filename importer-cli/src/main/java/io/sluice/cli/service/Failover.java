package io.sluice.cli.service;

import io.sluice.api.wire.JobsBody;
import io.sluice.cli.node.Termination;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.ClusterJobs;
import io.sluice.client.cluster.ServiceLease;
import io.sluice.http.HttpSettings;
import io.sluice.http.ServerLimits;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.service.ImportService;
import io.sluice.service.StateDirectory;
import io.sluice.service.job.JobCatalog;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One of the import services of a cluster. It stands by until it holds the lease on the cluster's jobs; then it runs
 * them until it has lost the lease.
 *
 * <pre>
 *                    lease taken
 *   standing by  ------------------->  running the jobs
 *                <-------------------
 *                    lease lost
 * </pre>
 *
 * <p>In both states it listens at the same address.
 */
final class Failover {
    private static final long POLL_MILLIS = 1_000;

    private final StateDirectory state;
    private final ClusterJobs jobs;
    private final Function<String, RemoteSettings> access;
    private final ServerLimits limits;
    private final Consumer<String> log;

    /** Starts the service that runs the jobs. */
    @FunctionalInterface
    interface Start {
        ImportService service(HttpSettings http, JobCatalog catalog);
    }

    /**
     * Creates a service that has not started.
     *
     * @param jobs the jobs of the cluster; owned by the caller
     * @param access connection settings to another service
     * @param log receives a line about each change
     */
    Failover(
            StateDirectory state,
            ClusterJobs jobs,
            Function<String, RemoteSettings> access,
            ServerLimits limits,
            Consumer<String> log) {
        this.state = state;
        this.jobs = jobs;
        this.access = access;
        this.limits = limits;
        this.log = log;
    }

    /**
     * Stands by and runs jobs in turn until a signal ends the process.
     *
     * @param ready receives the URL once, when it answers
     */
    void run(HttpSettings asked, Termination end, Start start, Consumer<String> ready) throws InterruptedException {
        HttpSettings http = asked;
        boolean announced = false;
        while (!end.await(0)) {
            try (ServiceLease lease = new ServiceLease(jobs, state.id())) {
                try (StandbyServer standby = StandbyServer.start(http, limits, lease::holder, access)) {
                    http = new HttpSettings(standby.address(), http.tokens(), http.tls());
                    if (!lease.tryTake(standby.url())) {
                        if (announced) {
                            log.accept("this service stands by at " + standby.url());
                        } else {
                            ready.accept(standby.url());
                        }
                        announced = true;
                        standBy(lease, standby.url(), end);
                    }
                }
                if (lease.holds()) {
                    runJobs(lease, start.service(http, new Catalog(lease)), announced ? url -> {} : ready, end);
                    announced = true;
                }
            }
        }
    }

    private void standBy(ServiceLease lease, String url, Termination end) throws InterruptedException {
        String told = null;
        do {
            String problem = lease.problem();
            if (problem != null && !problem.equals(told)) {
                log.accept("waiting for the cluster: " + problem);
            }
            told = problem;
        } while (!end.await(POLL_MILLIS) && !lease.tryTake(url));
    }

    private void runJobs(ServiceLease lease, ImportService service, Consumer<String> announce, Termination end)
            throws InterruptedException {
        try (service) {
            log.accept("this service runs the jobs of the cluster");
            announce.accept(service.url());
            while (lease.holds() && !end.await(POLL_MILLIS)) {
                // It works on threads of its own.
            }
            log.accept(
                    lease.holds()
                            ? "closing; another service goes on with the jobs, or this one when it is started again"
                            : "another service runs the jobs of the cluster, or most of its nodes do not answer; the jobs"
                                    + " here stop");
        }
    }

    /** The jobs in the log of the cluster. */
    private record Catalog(ServiceLease lease) implements JobCatalog {
        @Override
        public List<JobsBody.Job> all() {
            return lease.all();
        }

        @Override
        public void put(JobsBody.Job job) {
            requireLease();
            lease.put(job);
        }

        @Override
        public void remove(JobsBody.Job job) {
            requireLease();
            lease.remove(job);
        }

        /** As the log would refuse the change; nothing is sent. */
        private void requireLease() {
            if (!lease.holds()) {
                throw new ChangeRefusedException("another import service has taken over the jobs of the cluster");
            }
        }
    }
}

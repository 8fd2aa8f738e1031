/** An import service as the command line sees it: requests, answers, events, and watching a job to its end. */
@NullMarked
package io.sluice.cli.jobs.client;

import org.jspecify.annotations.NullMarked;

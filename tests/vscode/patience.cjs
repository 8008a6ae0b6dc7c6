// The limit of every wait of the tests in VS Code: the constant and the formula of tests/time_support.
const os = require('node:os');

/** How long a test on a quiet machine waits for an event at most: a failure shows itself within this time. */
const WAIT_MILLISECONDS = 10_000;

/** The limit of a wait that begins now: on a busy machine as much more as each core has to do. */
function waitMilliseconds() {
  return WAIT_MILLISECONDS * Math.max(1, os.loadavg()[0] / os.cpus().length);
}

module.exports = { waitMilliseconds };

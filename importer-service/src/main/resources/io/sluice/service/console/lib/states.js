// The states an import can be in, as they are shown and grouped, and the limiters, as they are explained.

/** Label, and look: the icon and colour of its badge. */
export const STATES = {
  pending: { label: 'Pending', look: 'waiting' },
  prechecking: { label: 'Prechecking', look: 'active' },
  running: { label: 'Running', look: 'active' },
  pausing: { label: 'Pausing', look: 'active' },
  paused: { label: 'Paused', look: 'paused' },
  cancelling: { label: 'Cancelling', look: 'active' },
  reverting: { label: 'Reverting', look: 'active' },
  succeeded: { label: 'Succeeded', look: 'good' },
  succeeded_with_rejects: { label: 'With rejects', look: 'partly' },
  failed: { label: 'Failed', look: 'bad' },
  cancelled: { label: 'Cancelled', look: 'gone' },
};

/** Filters of the list, each for one or more states. */
export const GROUPS = [
  { name: 'Running', states: ['prechecking', 'running', 'pausing', 'cancelling', 'reverting'] },
  { name: 'Pending', states: ['pending'] },
  { name: 'Paused', states: ['paused'] },
  { name: 'Failed', states: ['failed'] },
  { name: 'With rejects', states: ['succeeded_with_rejects'] },
  { name: 'Succeeded', states: ['succeeded'] },
  { name: 'Cancelled', states: ['cancelled'] },
];

const FINAL = new Set(['succeeded', 'succeeded_with_rejects', 'failed', 'cancelled']);
const AT_WORK = new Set(['prechecking', 'running', 'pausing', 'cancelling', 'reverting']);

/** Nothing will happen to it any more. */
export const isFinal = state => FINAL.has(state);

/** Something happens now, so rates and limiters mean something. */
export const isAtWork = state => AT_WORK.has(state);

export const PHASES = {
  prepare: 'preparing', sample: 'sampling', shuffle: 'sending KVs to their nodes', import: 'importing', merge: 'merging runs',
  compact: 'compacting', verify: 'verifying', publish: 'publishing',
};

const LIMITERS = {
  source: ['source', 'Reading is the slowest step: the disk, or the network the input comes over, gives no more bytes.'],
  decode: ['decode', 'Decoding is the slowest step: workers are busy turning bytes into typed rows. More workers would help.'],
  encode: ['encode', 'Encoding is the slowest step: workers are busy making KVs, one per row and index.'],
  sort: ['sort', 'Sorting is the slowest step. More memory makes fewer, longer runs.'],
  sst: ['SST', 'Writing SSTs is the slowest step: compressing and checksumming them takes most of the time.'],
  network: ['network', 'The network to the storage nodes is full: SSTs wait to be sent.'],
  sublevels: ['sublevels', 'A node holds SSTs back: too many files stand above each other where these keys go, and it merges them first.'],
  files: ['files', 'A node holds SSTs back because it has too many files, and merges some of them first.'],
  disk: ['disk', 'A disk is the slowest part, or a node keeps its last free space.'],
  cpu: ['CPU', 'All cores are busy.'],
  cap: ['cap', 'The import keeps to the bytes per second it was given (bytesPerSecond).'],
};

/** A limiter's short name. */
export const limiterName = limiter => (LIMITERS[limiter] ? LIMITERS[limiter][0] : limiter);

/** A limiter in a sentence. Others than those known are nodes, or what a node said. */
export const limiterSentence = limiter => (LIMITERS[limiter] ? LIMITERS[limiter][1] : `Workers wait for ${limiter}.`);

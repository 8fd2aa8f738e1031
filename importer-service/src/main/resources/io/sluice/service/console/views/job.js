// One import: what it is doing now, what may be done to it, and its parts as tabs that have addresses of their own.

import { html, useEffect, useRef } from '../lib/ui.js';
import { useImport } from '../lib/hooks.js';
import { href } from '../lib/router.js';
import { STATES, isFinal } from '../lib/states.js';
import { number } from '../lib/format.js';
import { announce } from '../parts/announce.js';
import { Badge } from '../parts/badge.js';
import { Labels, Live, Problem } from '../parts/values.js';
import { Actions } from './job-actions.js';
import { ProgressPanel } from './job-progress.js';
import { CurvesTab } from './curves.js';
import { FilesTab } from './files.js';
import { RejectsTab, ConflictsTab } from './rejects.js';
import { VerificationTab } from './verification.js';
import { LsmTab } from './lsm.js';
import { ReasonTab } from './reason.js';
import { ReportTab, RequestTab } from './report.js';

const TABS = [
  { name: 'reason', label: 'Reason', view: ReasonTab, when: job => job.state === 'failed' },
  { name: 'overview', label: 'Curves', view: CurvesTab },
  { name: 'files', label: 'Files', view: FilesTab },
  { name: 'rejects', label: 'Rejects', view: RejectsTab, count: job => job.progress.rowsRejected },
  { name: 'conflicts', label: 'Conflicts', view: ConflictsTab, count: job => job.progress.rowsConflicting },
  { name: 'verification', label: 'Verification', view: VerificationTab },
  { name: 'lsm', label: 'LSM tree', view: LsmTab },
  { name: 'report', label: 'Report', view: ReportTab },
  { name: 'request', label: 'Request', view: RequestTab },
];

export function JobView({ id, tab }) {
  const { job, error, connection, put } = useImport(id);
  useAnnouncedState(job);
  const offered = TABS.filter(each => !each.when || (job && each.when(job)));
  // A failed import opens on its reason.
  const shown = offered.find(each => each.name === tab) || offered[0];
  const tabs = useRef(null);
  // On narrow screens the row of tabs scrolls; the one that is shown must be seen.
  useEffect(() => tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [shown, !job]);
  useEffect(() => { document.title = `${id}${job ? `: ${STATES[job.state]?.label ?? job.state}` : ''} – Sluice`; }, [id, job?.state]);

  return html`
    <p class="crumb"><a href=${href(['imports'])}>Imports</a></p>
    <div class="title">
      <h1 tabindex="-1">${id}</h1>
      ${job && html`<${Badge} state=${job.state} /><${Live} connection=${connection} />`}
      ${job && html`<${Actions} job=${job} put=${put} />`}
    </div>
    ${error && !job && html`<${Problem} error=${error} onRetry=${error.status === 404 ? undefined : () => location.reload()} />`}
    ${!job && !error && html`<div class="panel placeholder tall" aria-busy="true"></div>`}
    ${job && html`
      <p class="about">into table <a href=${href(['tables', job.table])}>${job.table}</a>
        ${job.mode && html`, mode <span title=${job.modeWhy}>${job.mode}</span>`}${job.attempt > 1 && html`, attempt ${number(job.attempt)}`}
        ${' '}<${Labels} labels=${job.spec.labels} hrefOf=${(name, value) => href(['imports'], { label: `${name}=${value}` })} /></p>
      <${Message} job=${job} />
      <${ProgressPanel} job=${job} />
      <nav class="tabs" aria-label="Parts of the import" ref=${tabs}>${offered.map(each => html`
        <a key=${each.name} href=${href(each === offered[0] ? ['imports', id] : ['imports', id, each.name])} aria-current=${each === shown ? 'page' : undefined}>${each.label}${each.count && html`<span class="count ${each.count(job) ? 'some' : ''}">${number(each.count(job) ?? 0)}</span>`}</a>`)}
      </nav>
      <section class="tab" aria-label=${shown.label}><${shown.view} key=${shown.name} job=${job} live=${!isFinal(job.state)} /></section>`}`;
}

/** Why it failed or rests, as long as it is so. One line about a pause has its place in the panel, so that pausing moves nothing. */
function Message({ job }) {
  // A failed import has its reason as a tab.
  if (!job.message || job.state === 'failed' || (job.state === 'paused' && !job.message.includes('\n'))) return null;
  return html`<div class="note"><p class="lines">${job.message}</p></div>`;
}

/** Tells screen readers about states, not about progress. */
function useAnnouncedState(job) {
  const before = useRef(null);
  useEffect(() => {
    if (!job) return;
    if (before.current && before.current !== job.state) announce(`Import ${job.jobId}: ${STATES[job.state]?.label ?? job.state}`);
    before.current = job.state;
  }, [job?.state]);
}

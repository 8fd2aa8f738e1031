// Throughput and height over time: the history from the service, and what comes while one watches.

import { html, useEffect, useRef, useState } from '../lib/ui.js';
import { get, importPath, serviceMillis } from '../lib/api.js';
import { useLoaded } from '../lib/hooks.js';
import { isAtWork, isFinal } from '../lib/states.js';
import { bytes, duration, number, short } from '../lib/format.js';
import { Series } from '../charts/series.js';
import { Chart } from '../charts/chart.js';
import { Problem } from '../parts/values.js';

export function CurvesTab({ job }) {
  const { data, error, reload } = useLoaded(signal => get(importPath(job.jobId, '/samples'), {}, signal), [job.jobId]);
  const series = useRef(null);
  const [, redraw] = useState(0);
  useEffect(() => {
    if (!data) return;
    series.current = new Series(data);
    redraw(count => count + 1);
  }, [data]);
  useEffect(() => {
    if (series.current && isAtWork(job.state) && series.current.add(serviceMillis() / 1000, job.progress)) redraw(count => count + 1);
  }, [job]);

  if (error && !data) return html`<${Problem} error=${error} onRetry=${reload} />`;
  const s = series.current;
  if (!s) return html`<div class="charts"><div class="panel placeholder chart"></div><div class="panel placeholder chart"></div></div>`;
  if (s.length < 2) return html`<div class="charts"><p class="panel nothing chart">${isFinal(job.state) ? 'It was over too soon to draw a curve.' : 'Curves begin with the import’s first seconds.'}</p></div>`;
  const byteRate = s.rates('bytes'), rowRate = s.rates('rows');
  const over = duration(s.t[s.length - 1] - s.t[0]);
  const last = column => column[column.length - 1];
  return html`<div class="charts">
    <${Chart} title="Throughput" times=${s.t} summary=${`Throughput over ${over}: ${bytes(last(byteRate))} per second at the end, at most ${bytes(most(byteRate))} per second.`} lines=${[
      { label: 'Input', colour: 'ingested', values: byteRate, text: value => `${bytes(value)}/s`, least: 1000 },
      { label: 'Rows', colour: 'flushed', values: rowRate, text: value => `${short(value)}/s`, least: 10, right: true, dash: [6, 3] }]} />
    <${Chart} title="Height and files of the LSM trees" times=${s.t} summary=${`Height over ${over}: ${number(last(s.height))} at the end, at most ${number(most(s.height))}. Files: ${number(last(s.files))} at the end, at most ${number(most(s.files))}.`} lines=${[
      { label: 'Height', colour: 'compacted', values: s.height, text: number, step: true, whole: true },
      { label: 'Files', colour: 'before', values: s.files, text: short, step: true, whole: true, right: true, dash: [6, 3] }]} />
  </div>`;
}

const most = column => column.reduce((high, value) => Math.max(high, value ?? 0), 0);

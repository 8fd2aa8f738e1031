// A uPlot chart as a component: two lines over time at most, each with its axis; colours of the page; one cursor for all
// charts of a view. A sentence says the same to those who cannot see it.

import uPlot from '../vendor/uPlot.js';
import { html, useEffect, useRef } from '../lib/ui.js';
import { onThemeChange, readPalette } from '../parts/theme.js';

const HEIGHT = 210;
const AXIS_WIDTH = 70;
/** Axes tell seconds, so no curve is drawn over less than a few of them, and no tick stands between two. */
const LEAST_SECONDS = 10;
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000];
/** Fewer points than this make no line to see; they are drawn as points. */
const LINE_POINTS = 4;
const shared = uPlot.sync('sluice');

/**
 * `lines` are [{ label, colour, text, values, step, right, whole, least }]: colour is a name of the style sheet, text makes a
 * value readable, least is where the axis ends when all values are zero. `times` are seconds since 1970.
 */
export function Chart({ title, times, lines, summary }) {
  const box = useRef(null);
  const plot = useRef(null);
  const latest = useRef(lines);
  latest.current = lines;
  const data = [times, ...lines.map(line => line.values)];
  const fresh = useRef(data);
  fresh.current = data;

  useEffect(() => {
    const build = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(latest.current, box.current.clientWidth), fresh.current, box.current);
      tellEnd(plot.current);
    };
    build();
    const fitted = new ResizeObserver(() => {
      const width = box.current?.clientWidth;
      if (width && plot.current && width !== plot.current.width) {
        plot.current.setSize({ width, height: HEIGHT });
        tellEnd(plot.current);
      }
    });
    fitted.observe(box.current);
    const stop = onThemeChange(build);
    return () => {
      stop();
      fitted.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, []);
  useEffect(() => {
    if (!plot.current) return;
    plot.current.setData(data);
    tellEnd(plot.current);
  });

  return html`<figure class="panel chart"><figcaption>${title}</figcaption><div class="plot" role="img" aria-label=${summary} ref=${box}></div></figure>`;
}

/** While nobody points at the curves the legend tells their end: once uPlot has drawn, which it does when all else is done. */
function tellEnd(plot) {
  queueMicrotask(() => { if (plot.cursor.idx == null) plot.setLegend({ idx: plot.data[0].length - 1 }); });
}

function options(lines, width) {
  const colours = readPalette(['ink', 'soft', 'line', ...lines.map(line => line.colour)]);
  const quiet = { stroke: colours.soft, font: '11px system-ui, sans-serif', ticks: { stroke: colours.line, width: 1, size: 4 }, grid: { stroke: colours.line, width: 1 } };
  return {
    width,
    height: HEIGHT,
    ms: 1e-3,
    padding: [8, lines.some(line => line.right) ? 0 : 12, 0, 0],
    cursor: { sync: { key: shared.key }, drag: { x: true, y: false }, points: { size: 6 } },
    legend: { live: true },
    scales: { x: { time: true, range: someSeconds }, y: { range: fromZero(lines.find(line => !line.right)) }, r: { range: fromZero(lines.find(line => line.right)) } },
    axes: [
      { ...quiet, space: 70, incrs: SECONDS, values: [
        [86400, '{YYYY}-{MM}-{DD}', null, null, null, null, null, null, 1],
        [3600, '{HH}:{mm}', '\n{YYYY}-{MM}-{DD}', null, null, null, null, null, 1],
        [60, '{HH}:{mm}', '\n{YYYY}-{MM}-{DD}', null, null, null, null, null, 1],
        [1, '{HH}:{mm}:{ss}', '\n{YYYY}-{MM}-{DD}', null, null, null, null, null, 1],
      ] },
      ...lines.map((line, i) => ({
        ...quiet, scale: line.right ? 'r' : 'y', side: line.right ? 1 : 3, size: AXIS_WIDTH, space: 34,
        grid: { ...quiet.grid, show: i === 0 }, incrs: line.whole ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000] : undefined,
        values: (_, ticks) => ticks.map(tick => (tick === null ? '' : line.text(tick))),
      })),
    ],
    series: [
      { label: 'Time', value: (_, t) => (t === null ? '–' : new Date(t * 1000).toLocaleTimeString('en-GB')) },
      ...lines.map(line => ({
        label: line.label, scale: line.right ? 'r' : 'y', stroke: colours[line.colour], width: 1.5, dash: line.dash,
        paths: line.step ? uPlot.paths.stepped({ align: 1 }) : undefined,
        fill: line.right ? undefined : colours[line.colour] + '1f', points: { show: plot => plot.data[0].length < LINE_POINTS }, spanGaps: true,
        value: (_, value) => (value === null || value === undefined ? '–' : line.text(value)),
      })),
    ],
  };
}

/** Axes begin at zero: a rate that halves must look like half. */
const fromZero = line => (plot, least, most) => [0, most > 0 ? most * 1.1 : line?.least ?? 1];

const someSeconds = (plot, first, last) => [first, Math.max(last, first + LEAST_SECONDS)];

// Draws a Tree on canvases: files over the key space, how many lie over each key, and a figure over all events. Colours
// come in as a palette; nothing here knows the page, and the page of `sluice lsm --html` has this module inside.

import { FILES, FROM, HEIGHT, NAME, ORIGIN, SIZE, TO, amplification } from './tree.js';
import { bytes, number } from '../lib/format.js';

const MARGIN = 44;
const MAX_ROW = 26, MIN_ROW = 3, TREE_PIXELS = 380;
const FONT = '11px system-ui, "Segoe UI", Arial, sans-serif';

/** Names of the colours that a palette must have. */
export const PALETTE = ['panel', 'ink', 'soft', 'line', 'band', 'ingested', 'flushed', 'compacted', 'before', 'gone', 'accent', 'on-bar'];

export const CURVES = {
  height: { name: 'height', of: event => event.f[HEIGHT], text: value => number(value) },
  files: { name: 'files', of: event => event.f[FILES], text: value => number(value) },
  bytes: { name: 'size', of: event => event.f[SIZE], text: bytes },
  wa: { name: 'write amplification', of: event => amplification(event.f), text: value => value.toFixed(2) },
};

/** Sizes a canvas for its place and the screen's pixels. */
function prepare(canvas, height) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth || canvas.parentElement.clientWidth;
  if (height) canvas.style.height = height + 'px'; else height = canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext('2d');
  pen.scale(ratio, ratio);
  pen.font = FONT;
  pen.textBaseline = 'middle';
  return { pen, width, height };
}

const scaleOf = (tree, width) => {
  const last = Math.max(1, tree.keys.length - 1);
  return key => MARGIN + key * (width - MARGIN - 4) / last;
};

/** Draws the files; answers what is where, as [left, top, width, height, file], the last on top. */
export function drawTree(canvas, tree, view, palette) {
  const layout = tree.place(view);
  const aged = view === 'age';
  const row = Math.max(aged ? 0 : MIN_ROW, Math.min(MAX_ROW, TREE_PIXELS / Math.max(1, layout.rows)));
  const { pen, width, height } = prepare(canvas, Math.max(aged ? TREE_PIXELS : 150, Math.ceil(layout.rows * row) + 8));
  const x = scaleOf(tree, width);
  const yOf = position => (aged ? 4 + (layout.rows - 1 - position) * row : height - 4 - (position + 1) * row);
  const fresh = new Set(tree.event.a || []);
  const gone = new Set(tree.event.d || []);
  const boxes = [];

  drawRows(pen, layout.labels, { yOf, row, width, palette });
  if (view !== 'levels') {
    pen.save();
    pen.fillStyle = palette.soft;
    pen.textAlign = 'center';
    pen.translate(9, aged ? 60 : height - Math.min(height, 90) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(aged ? 'older  →  newer' : 'sublevel →', 0, 0);
    pen.restore();
  }
  const gap = row >= 8 ? 2 : row >= 4 ? 1 : row >= 2 ? .4 : 0;
  for (const [file, position] of layout.places) {
    const f = tree.files[file];
    const left = x(f[FROM]);
    const box = { left, top: yOf(position) + gap / 2, wide: Math.max(2.5, x(f[TO]) - left), tall: Math.max(1, row - gap) };
    drawFile(pen, box, { f, gone: gone.has(file), fresh: fresh.has(file), dim: fresh.size > 0, busy: tree.busy.has(file), palette });
    boxes.push([box.left, box.top, box.wide, box.tall, file]);
  }
  if (!boxes.length) {
    pen.fillStyle = palette.soft;
    pen.textAlign = 'center';
    pen.fillText('no files', width / 2, height / 2);
  }
  return boxes;
}

/** The file at a place of the canvas, the topmost; undefined where there is none. */
export function fileAt(boxes, x, y) {
  return boxes.findLast(([left, top, wide, tall]) => x >= left - 2 && x <= left + wide + 2 && y >= top - 1 && y <= top + tall + 1)?.[4];
}

function drawRows(pen, labels, { yOf, row, width, palette }) {
  let lastLabel = Infinity;
  for (const [position, label] of labels) {
    const y = yOf(position);
    if (position % 2 === 0 && row >= 6) {
      pen.fillStyle = palette.band;
      pen.fillRect(MARGIN, y, width - MARGIN, row);
    }
    if (lastLabel - y >= 13) {
      pen.fillStyle = palette.soft;
      pen.textAlign = 'right';
      pen.fillText(label, MARGIN - 7, y + row / 2);
      lastLabel = y;
    }
  }
}

function drawFile(pen, { left, top, wide, tall }, { f, gone, fresh, dim, busy, palette }) {
  const round = Math.min(4, tall / 2, wide / 2);
  pen.beginPath();
  pen.roundRect(left, top, wide, tall, round);
  if (gone) {
    pen.setLineDash([4, 3]);
    pen.strokeStyle = palette.gone;
    pen.lineWidth = 1.4;
    pen.stroke();
    pen.setLineDash([]);
    return;
  }
  pen.fillStyle = palette[f[ORIGIN]] || palette.before;
  pen.globalAlpha = dim && !fresh ? .82 : 1;
  pen.fill();
  pen.globalAlpha = 1;
  if (busy) hatch(pen, left, top, wide, tall, palette.panel);
  if (fresh) {
    pen.strokeStyle = palette.ink;
    pen.lineWidth = tall < 6 ? 1 : 2;
    pen.beginPath();
    pen.roundRect(left - 1, top - 1, wide + 2, tall + 2, round + 1);
    pen.stroke();
  }
  const label = f[NAME].replace(/^0+|\.sst$/g, '');
  if (tall >= 12 && !busy && wide > label.length * 7 + 10) {
    pen.fillStyle = palette['on-bar'];
    pen.textAlign = 'center';
    pen.fillText(label, left + wide / 2, top + tall / 2 + .5);
  }
}

function hatch(pen, left, top, wide, tall, colour) {
  pen.save();
  pen.clip();
  pen.strokeStyle = colour;
  pen.globalAlpha = .75;
  pen.lineWidth = 2;
  pen.beginPath();
  for (let i = left - tall; i < left + wide; i += 7) { pen.moveTo(i, top + tall); pen.lineTo(i + tall, top); }
  pen.stroke();
  pen.restore();
}

/** Draws how many files lie over each key; answers the most. */
export function drawSkyline(canvas, tree, palette) {
  const { pen, width, height } = prepare(canvas);
  const slots = tree.heights();
  const x = scaleOf(tree, width);
  const room = height - 16;
  const y = value => height - 1 - value * room / tree.mostSublevels;
  let tallest = 0, peak = 0;
  for (let i = 0; i < slots.length; i++) if (slots[i] > tallest) { tallest = slots[i]; peak = i; }
  pen.fillStyle = palette.soft;
  pen.globalAlpha = .28;
  pen.beginPath();
  pen.moveTo(MARGIN, height);
  for (let key = 0; key < tree.keys.length; key++) {
    const left = x(key), right = Math.min(width - 4, x(key + 1));
    const on = y(slots[2 * key]), between = y(slots[2 * key + 1]);
    pen.lineTo(left - .7, on);
    pen.lineTo(left + .7, on);
    pen.lineTo(left + .7, between);
    pen.lineTo(right - .7, between);
  }
  pen.lineTo(width - 4, height);
  pen.closePath();
  pen.fill();
  pen.globalAlpha = 1;
  pen.strokeStyle = palette.line;
  pen.beginPath();
  pen.moveTo(MARGIN, height - .5);
  pen.lineTo(width, height - .5);
  pen.stroke();
  pen.fillStyle = palette.soft;
  pen.textAlign = 'right';
  pen.fillText('height', MARGIN - 5, height - 8);
  if (tallest) {
    const where = x(peak / 2), rightHalf = where > width / 2;
    pen.fillStyle = palette.ink;
    pen.textAlign = rightHalf ? 'right' : 'left';
    pen.fillText(`tallest: ${tallest}`, where + (rightHalf ? -6 : 6), Math.max(7, y(tallest) - 6));
    pen.beginPath();
    pen.arc(where, y(tallest), 3, 0, 7);
    pen.fill();
  }
  return tallest;
}

/** Draws a figure over all events with a mark at the one that is shown. */
export function drawCurve(canvas, tree, curve, palette) {
  const { pen, width, height } = prepare(canvas);
  const values = tree.events.map(curve.of);
  const most = values.reduce((x, y) => Math.max(x, y), 0) || 1;
  const x = i => (values.length === 1 ? width / 2 : 1 + i * (width - 3) / (values.length - 1));
  const y = value => height - 3 - value * (height - 20) / most;
  pen.strokeStyle = palette.line;
  pen.beginPath();
  pen.moveTo(0, height - 2.5);
  pen.lineTo(width, height - 2.5);
  pen.stroke();
  pen.beginPath();
  values.forEach((value, i) => { if (i) pen.lineTo(x(i), y(values[i - 1])); pen.lineTo(x(i), y(value)); });
  pen.strokeStyle = palette.accent;
  pen.lineWidth = 1.5;
  pen.lineJoin = 'round';
  pen.stroke();
  pen.lineTo(x(values.length - 1), height - 2.5);
  pen.lineTo(x(0), height - 2.5);
  pen.closePath();
  pen.globalAlpha = .13;
  pen.fillStyle = palette.accent;
  pen.fill();
  pen.globalAlpha = 1;
  pen.fillStyle = palette.soft;
  pen.textAlign = 'right';
  pen.fillText('most ' + curve.text(most), width, 8);
  pen.strokeStyle = palette.ink;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(x(tree.at), 14);
  pen.lineTo(x(tree.at), height - 2);
  pen.stroke();
  pen.fillStyle = palette.ink;
  pen.beginPath();
  pen.arc(x(tree.at), y(values[tree.at]), 3.5, 0, 7);
  pen.fill();
  return most;
}

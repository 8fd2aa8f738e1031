// Values as people read them: sizes, counts, rates, durations, times. The page of `sluice lsm --html` has this inside.

/** A count, with its thousands told apart. */
export const number = value => (value === undefined || value === null ? '–' : Math.round(value).toLocaleString('en'));

/** "1 file", "2 files". */
export const plural = (count, one, many = one + 's') => `${number(count)} ${count === 1 ? one : many}`;

/** Three digits and a unit of powers of 1000, as disks and networks are sold. */
export function bytes(value) {
  if (value === undefined || value === null) return '–';
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < units.length - 1) { value /= 1000; unit++; }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

/** A large count in three digits: 12.3 k, 4.56 M. */
export function short(value) {
  if (value === undefined || value === null) return '–';
  if (Math.abs(value) < 999.5) return String(Math.round(value));
  const units = ['', ' k', ' M', ' G', ' T'];
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < units.length - 1) { value /= 1000; unit++; }
  return value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2) + units[unit];
}

/** A share with one decimal. Never "100.0%" before it is all. */
export function percent(fraction) {
  const tenths = Math.floor(fraction * 1000 + 1e-9);
  return fraction >= 1 ? '100%' : `${(tenths / 10).toFixed(1)}%`;
}

/** Seconds in the two largest units that matter: 45 s, 3 min 20 s, 2 h 05 min, 3 d 4 h. */
export function duration(seconds) {
  if (seconds === undefined || seconds === null || !isFinite(seconds)) return '–';
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${two(Math.floor(s / 60) % 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor(s / 3600) % 24} h`;
}

/** A time to come, in words that do not change every second. */
export function remaining(seconds) {
  if (seconds === undefined || seconds === null) return '';
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s left`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(Math.floor(seconds) % 60)} s left`;
  return `${duration(seconds)} left`;
}

const two = value => String(value).padStart(2, '0');
const day = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' });
const dayAndYear = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short', year: 'numeric' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });

/** A moment in the zone of the reader: the year only where it is another one. */
export function localTime(iso) {
  const date = new Date(iso);
  if (isNaN(date)) return '–';
  const form = date.getFullYear() === new Date().getFullYear() ? day : dayAndYear;
  return `${form.format(date)} ${clock.format(date)}`;
}

/** How long ago a moment was, in its largest unit: now, 5 min ago, 3 h ago, 12 d ago. */
export function age(iso, nowMillis = Date.now()) {
  const seconds = Math.max(0, (nowMillis - Date.parse(iso)) / 1000);
  if (isNaN(seconds)) return '–';
  if (seconds < 60) return 'now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86400)} d ago`;
}

/** The same moment as logs have it. */
export function utcTime(iso) {
  const date = new Date(iso);
  return isNaN(date) ? '' : date.toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
}

/** The last part of a path, for narrow places. */
export const baseName = name => name.replace(/[?#].*$/, '').replace(/\/+$/, '').split('/').pop() || name;

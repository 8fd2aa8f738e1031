// Where the user is, kept in the address behind the #, so that every place has a link and the back button works.
//
//   #/imports?state=failed&table=orders     the list, with its filter
//   #/imports/ID, #/imports/ID/rejects      an import, and a part of it
//   #/new?from=ID                           the form, filled as another import was; &/append=true changes a field
//   #/new?table=NAME                        the form, to append to a table
//   #/tables, #/tables/NAME, #/nodes        what was imported, and where it lies

import { useEffect, useState } from './ui.js';

/** The place an address means: { path: [names], query: {name: value} }. */
export function parse(hash) {
  const [path, search = ''] = hash.replace(/^#\/?/, '').split('?');
  const names = path.split('/').filter(Boolean).map(name => {
    try { return decodeURIComponent(name); } catch (e) { return name; }
  });
  return { path: names, query: Object.fromEntries(new URLSearchParams(search)) };
}

/** The address of a place. Members of the query that are empty are left out. */
export function href(path, query = {}) {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ''));
  const text = search.toString();
  return '#/' + path.map(encodeURIComponent).join('/') + (text ? '?' + text : '');
}

/** Goes there; with replace, the place left is not one the back button returns to. */
export function go(path, query = {}, { replace = false } = {}) {
  if (!replace) { location.hash = href(path, query); return; }
  history.replaceState(null, '', href(path, query));
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The place the address means now. */
export function useRoute() {
  const [route, setRoute] = useState(() => parse(location.hash));
  useEffect(() => {
    const moved = () => setRoute(parse(location.hash));
    window.addEventListener('hashchange', moved);
    return () => window.removeEventListener('hashchange', moved);
  }, []);
  return route;
}

import { checkTarget, type PrivateTargets, type Verdict } from './target-guard.js';

/** Where a request goes, once its URL was looked at. */
export type Target =
  | { readonly allowed: true; readonly origin: string; readonly path: string }
  | Extract<Verdict, { readonly allowed: false }>;

/** URLs as they were parsed and judged, remembered: endpoints are few, and each is sent to again and again. What a name resolves to is judged for each connection. */
export const targetsOf = (mode: PrivateTargets): ((url: string) => Target) => {
  const known = new Map<string, Target>();
  return (url) => {
    const target = known.get(url) ?? judged(url, mode);
    if (known.size >= mostKnown) known.clear();
    known.set(url, target);
    return target;
  };
};

const mostKnown = 1_000;

const judged = (url: string, mode: PrivateTargets): Target => {
  const verdict = checkTarget(url, mode);
  if (!verdict.allowed) return verdict;
  const { origin, pathname, search } = new URL(url);
  return { allowed: true, origin, path: pathname + search };
};

import { checkTarget, type PrivateTargets, type Verdict } from '@refledger/webhook-endpoints';

/** The origin and path of a checked URL, or the reason why it is refused. */
export type Target =
  | { readonly allowed: true; readonly origin: string; readonly path: string }
  | Extract<Verdict, { readonly allowed: false }>;

/**
 * Parses and checks URLs, and caches the results: endpoints are few, and each gets many requests.
 * The addresses behind a host name are checked per connection.
 */
export const targetsOf = (mode: PrivateTargets): ((url: string) => Target) => {
  const known = new Map<string, Target>();
  return (url) => {
    const target = known.get(url) ?? checkedTarget(url, mode);
    if (known.size >= maxKnown) known.clear();
    known.set(url, target);
    return target;
  };
};

const maxKnown = 1_000;

const checkedTarget = (url: string, mode: PrivateTargets): Target => {
  const verdict = checkTarget(url, mode);
  if (!verdict.allowed) return verdict;
  const { origin, pathname, search } = new URL(url);
  return { allowed: true, origin, path: pathname + search };
};

/** The engines that a configuration chooses by its URLs. */
export interface Engines {
  readonly mode: 'embedded';
}

/** Which engines the three URLs name together, or why they can't be used so. */
export const enginesOf = (urls: { eventLog: string; readStore: string; eventBus: string }): Engines | { readonly problem: string } => {
  if (urls.eventLog === 'sqlite:' && urls.readStore === 'sqlite:' && urls.eventBus === 'log:') return { mode: 'embedded' };
  return { problem: `EVENT_LOG_URL, READ_STORE_URL and EVENT_BUS_URL are ${scheme(urls.eventLog)}, ${scheme(urls.readStore)}, ${scheme(urls.eventBus)}; supported by this release: sqlite:, sqlite:, log: (all embedded)` };
};

/** A URL may carry a password: only its scheme is ever shown. */
const scheme = (url: string): string => /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? 'not a URL';

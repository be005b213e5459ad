/** The engines that a configuration chooses by its URLs. */
export interface Engines {
  readonly mode: 'embedded';
}

/** Nothing to install: all embedded. */
export const defaultUrls = { eventLog: 'sqlite:', readStore: 'sqlite:', eventBus: 'log:' } as const;

/** Which engines the three URLs name together, or why they can't be used so. */
export const enginesOf = ({ eventLog = defaultUrls.eventLog, readStore = defaultUrls.readStore, eventBus = defaultUrls.eventBus }: Readonly<Partial<Record<keyof typeof defaultUrls, string | undefined>>>): Engines | { readonly problem: string } => {
  if (eventLog === 'sqlite:' && readStore === 'sqlite:' && eventBus === 'log:') return { mode: 'embedded' };
  return { problem: `EVENT_LOG_URL, READ_STORE_URL and EVENT_BUS_URL are ${scheme(eventLog)}, ${scheme(readStore)}, ${scheme(eventBus)}; supported by this release: sqlite:, sqlite:, log: (all embedded)` };
};

/** A URL may carry a password: only its scheme is ever shown. */
const scheme = (url: string): string => /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? 'not a URL';

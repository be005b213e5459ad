/** The engines that a configuration chooses by its URLs. */
export interface Engines {
  readonly mode: 'embedded';
}

/** Nothing to install: all embedded. The only engines of this release. */
export const defaultUrls = { EVENT_LOG_URL: 'sqlite:', READ_STORE_URL: 'sqlite:', EVENT_BUS_URL: 'log:' } as const;

/** Which engines the three URLs name together, or for each that can't be used what would be right. */
export const enginesOf = (urls: Readonly<Record<string, string | undefined>>): Engines | { readonly problems: readonly string[] } => {
  const problems = Object.entries(defaultUrls).flatMap(([name, supported]) => {
    const url = urls[name] ?? supported;
    return url === supported ? [] : [`${name} supports ${supported} in this release, ${url.startsWith(supported) ? 'without a path: the folder is DATA_DIR' : `got ${scheme(url)}`}`];
  });
  return problems.length === 0 ? { mode: 'embedded' } : { problems };
};

/** A URL may carry a password: only its scheme is ever shown. */
const scheme = (url: string): string => /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? 'what is no URL';

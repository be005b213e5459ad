/**
 * The engines that the URLs of a configuration choose. A URL may hold a password, so it is never
 * printed.
 */
export type Engines =
  | { readonly mode: 'embedded' }
  | {
      readonly mode: 'distributed';
      readonly eventLogUrl: string;
      readonly readStoreUrl: string;
      readonly eventBus: EventBusEngine;
    };

export type EventBusEngine =
  { readonly kind: 'log' } | { readonly kind: 'kafka'; readonly brokers: readonly string[] };

/** The default engines are all embedded, so nothing needs to be installed. */
export const defaultUrls = {
  EVENT_LOG_URL: 'sqlite:',
  READ_STORE_URL: 'sqlite:',
  EVENT_BUS_URL: 'log:',
} as const;

/**
 * Returns the engines that the three URLs name together or, for each URL that cannot be used, what
 * would be right.
 */
export const enginesOf = (
  environment: Readonly<Record<string, string | undefined>>,
): Engines | { readonly problems: readonly string[] } => {
  const urls = {
    ...defaultUrls,
    ...Object.fromEntries(
      names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
    ),
  } as Urls;
  // the event log's engine decides which engines the others may be
  const mode = modes.find(({ EVENT_LOG_URL }) => EVENT_LOG_URL.accepts(urls.EVENT_LOG_URL));
  if (mode === undefined)
    return {
      problems: [
        `EVENT_LOG_URL supports ${modes.map(({ EVENT_LOG_URL }) => EVENT_LOG_URL.says).join(', or ')}; it is ${shown(urls.EVENT_LOG_URL)}`,
      ],
    };
  const problems = names.flatMap((name) =>
    mode[name].accepts(urls[name])
      ? []
      : [
          `${name} supports ${mode[name].says} beside EVENT_LOG_URL=${scheme(urls.EVENT_LOG_URL)}; it is ${shown(urls[name])} (${supported})`,
        ],
  );
  return problems.length > 0 ? { problems } : mode.engines(urls);
};

type Urls = Readonly<Record<keyof typeof defaultUrls, string>>;
type Name = keyof Urls;
const names = Object.keys(defaultUrls) as readonly Name[];

interface Accepted {
  readonly says: string;
  readonly accepts: (url: string) => boolean;
}

interface Mode extends Readonly<Record<Name, Accepted>> {
  readonly engines: (urls: Urls) => Engines;
}

const exactly = (url: string): Accepted => ({
  says: `${url} with nothing after it`,
  accepts: (given) => given === url,
});
const matching = (says: string, pattern: RegExp): Accepted => ({
  says,
  accepts: (given) => pattern.test(given),
});

const kafka = /^kafka:\/\/[\w.-]+:\d{1,5}(,[\w.-]+:\d{1,5})*$/;

const modes: readonly Mode[] = [
  {
    EVENT_LOG_URL: exactly(defaultUrls.EVENT_LOG_URL),
    READ_STORE_URL: exactly(defaultUrls.READ_STORE_URL),
    EVENT_BUS_URL: exactly(defaultUrls.EVENT_BUS_URL),
    engines: () => ({ mode: 'embedded' }),
  },
  {
    EVENT_LOG_URL: matching(
      'esdb://…, esdb+discover://…, kurrentdb://… or kurrentdb+discover://…',
      /^(esdb|kurrentdb)(\+discover)?:\/\/./,
    ),
    READ_STORE_URL: matching('mongodb://… or mongodb+srv://…', /^mongodb(\+srv)?:\/\/./),
    EVENT_BUS_URL: {
      says: 'log: or kafka://host:port,host:port',
      accepts: (given) => given === defaultUrls.EVENT_BUS_URL || kafka.test(given),
    },
    engines: ({
      EVENT_LOG_URL: eventLogUrl,
      READ_STORE_URL: readStoreUrl,
      EVENT_BUS_URL: bus,
    }) => ({
      mode: 'distributed',
      eventLogUrl,
      readStoreUrl,
      eventBus: kafka.test(bus)
        ? { kind: 'kafka', brokers: bus.slice('kafka://'.length).split(',') }
        : { kind: 'log' },
    }),
  },
];

const supported =
  'supported together: all embedded; EventStoreDB, MongoDB and Kafka; EventStoreDB, MongoDB and log:';

const scheme = (url: string): string | undefined => /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0];
/** Returns the part of a URL that cannot be secret. */
const shown = (url: string): string => {
  const known = scheme(url);
  if (known === undefined) return 'no URL';
  return known === url ? url : `${known}…`;
};

import { schemeOf, shownUrl } from './engine-url.js';

/** The URLs of the engines. They may hold passwords, so they are never printed. */
export interface Engines {
  /** `embedded`: one process does everything. `distributed`: separate services share servers. */
  readonly mode: 'embedded' | 'distributed';
  readonly eventLogUrl: string;
  readonly readStoreUrl: string;
  readonly deliveryStoreUrl: string;
  readonly keyStoreUrl: string;
  readonly eventBusUrl: string;
}

/** The default engines are all embedded, so nothing needs to be installed. */
export const embeddedUrls = {
  EVENT_LOG_URL: 'sqlite:',
  READ_STORE_URL: 'sqlite:',
  DELIVERY_STORE_URL: 'sqlite:',
  KEY_STORE_URL: 'sqlite:',
  EVENT_BUS_URL: 'log:',
} as const;

/**
 * Returns the engines that the URLs name together or, for each URL that cannot be used, what is
 * expected. Empty variables count as unset. Unless they are set, `DELIVERY_STORE_URL` is
 * `READ_STORE_URL`, and `KEY_STORE_URL` is `DELIVERY_STORE_URL`.
 */
export const enginesOf = (
  environment: Readonly<Record<string, string | undefined>>,
): Engines | { readonly problems: readonly string[] } => {
  const urls = urlsOf(environment);
  const found = combinations.find((each) =>
    names.every((name) => each[name].pattern.test(urls[name])),
  );
  if (found === undefined) return { problems: problemsOf(urls) };
  return {
    mode: found.mode,
    eventLogUrl: urls.EVENT_LOG_URL,
    readStoreUrl: urls.READ_STORE_URL,
    deliveryStoreUrl: urls.DELIVERY_STORE_URL,
    keyStoreUrl: urls.KEY_STORE_URL,
    eventBusUrl: urls.EVENT_BUS_URL,
  };
};

type Name = keyof typeof embeddedUrls;

/** The URLs of one engine for one port. */
interface EngineUrls {
  readonly text: string;
  readonly pattern: RegExp;
}

interface Combination extends Readonly<Record<Name, EngineUrls>> {
  readonly mode: Engines['mode'];
  readonly title: string;
}

const sqlite: EngineUrls = { text: 'exactly sqlite:', pattern: /^sqlite:$/ };
const eventStoreDb: EngineUrls = {
  text: 'esdb://…, esdb+discover://…, kurrentdb://… or kurrentdb+discover://…',
  pattern: /^(esdb|kurrentdb)(\+discover)?:\/\/./,
};
const mongodb: EngineUrls = {
  text: 'mongodb://… or mongodb+srv://…',
  pattern: /^mongodb(\+srv)?:\/\/./,
};
const log: EngineUrls = { text: 'exactly log:', pattern: /^log:$/ };
const kafka: EngineUrls = {
  text: 'kafka://host:port,host:port',
  pattern: /^kafka:\/\/[\w.-]+:\d{1,5}(,[\w.-]+:\d{1,5})*$/,
};

const distributed = {
  mode: 'distributed',
  EVENT_LOG_URL: eventStoreDb,
  READ_STORE_URL: mongodb,
  DELIVERY_STORE_URL: mongodb,
  KEY_STORE_URL: mongodb,
} as const;

/** The combinations of engines that are supported. All others are refused. */
const combinations: readonly Combination[] = [
  {
    mode: 'embedded',
    title: 'all embedded',
    EVENT_LOG_URL: sqlite,
    READ_STORE_URL: sqlite,
    DELIVERY_STORE_URL: sqlite,
    KEY_STORE_URL: sqlite,
    EVENT_BUS_URL: log,
  },
  { ...distributed, title: 'EventStoreDB, MongoDB and Kafka', EVENT_BUS_URL: kafka },
  { ...distributed, title: 'EventStoreDB, MongoDB and log:', EVENT_BUS_URL: log },
];

const names = [
  'EVENT_LOG_URL',
  'READ_STORE_URL',
  'DELIVERY_STORE_URL',
  'KEY_STORE_URL',
  'EVENT_BUS_URL',
] as const;

type Urls = Readonly<Record<Name, string>>;

const urlsOf = (environment: Readonly<Record<string, string | undefined>>): Urls => {
  const given = (name: Name): string => environment[name] || embeddedUrls[name];
  const deliveryStoreUrl = environment['DELIVERY_STORE_URL'] || given('READ_STORE_URL');
  return {
    EVENT_LOG_URL: given('EVENT_LOG_URL'),
    READ_STORE_URL: given('READ_STORE_URL'),
    DELIVERY_STORE_URL: deliveryStoreUrl,
    KEY_STORE_URL: environment['KEY_STORE_URL'] || deliveryStoreUrl,
    EVENT_BUS_URL: given('EVENT_BUS_URL'),
  };
};

/** The event log's engine decides which engines the others may be. */
const problemsOf = (urls: Urls): readonly string[] => {
  const beside = combinations.filter((each) => each.EVENT_LOG_URL.pattern.test(urls.EVENT_LOG_URL));
  if (beside.length === 0)
    return [
      `EVENT_LOG_URL supports ${expected(combinations, 'EVENT_LOG_URL')}, but is ${shownUrl(urls.EVENT_LOG_URL)}`,
    ];
  return names.flatMap((name) =>
    beside.some((each) => each[name].pattern.test(urls[name])) || isReported(name, urls)
      ? []
      : [
          `${name} supports ${expected(beside, name)} with EVENT_LOG_URL=${schemeOf(urls.EVENT_LOG_URL)}, but is ${shownUrl(urls[name])} (${supported})`,
        ],
  );
};

/** Whether a default only repeats the problem of the URL that it is taken from. */
const isReported = (name: Name, urls: Urls): boolean =>
  (name === 'DELIVERY_STORE_URL' && urls.DELIVERY_STORE_URL === urls.READ_STORE_URL) ||
  (name === 'KEY_STORE_URL' && urls.KEY_STORE_URL === urls.DELIVERY_STORE_URL);

const expected = (among: readonly Combination[], name: Name): string =>
  [...new Set(among.map((each) => each[name].text))].join(' or ');

const supported = `supported combinations: ${combinations.map(({ title }) => title).join('; ')}`;

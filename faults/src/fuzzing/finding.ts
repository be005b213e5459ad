/** A check of schemathesis that a response failed. */
export interface Finding {
  /** The method and path, as in the document. */
  readonly operation: string;
  /** Schemathesis's name for the check: `positive_data_acceptance`, `not_a_server_error`, … */
  readonly check: string;
  readonly message: string;
  /** The request and its response; undefined for a check that concerns no single exchange. */
  readonly exchange: Exchange | undefined;
}

/** A request and its response. */
interface Exchange {
  readonly request: string;
  readonly status: number;
  /** The response's body, read as a problem. */
  readonly problem: ReceivedProblem;
}

/** The fields of a problem (RFC 9457) that are read here. */
interface ReceivedProblem {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly path: string; readonly code: string }[];
}

/** The findings of a run, from its NDJSON report, which has one event per line. */
export const findingsIn = (report: string): Finding[] =>
  report
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => findingsOf((JSON.parse(line) as ReportedEvent).ScenarioFinished?.recorder));

/** Decoding boundary: the fields read here of an event that schemathesis 4 reports. */
interface ReportedEvent {
  readonly ScenarioFinished?: { readonly recorder: Recorder };
}

interface Recorder {
  readonly label: string;
  readonly checks?: Readonly<Record<string, readonly Check[]>>;
  readonly interactions?: Readonly<Record<string, Interaction>>;
}

interface Check {
  readonly name: string;
  readonly status: string;
  readonly failure_info?: {
    readonly failure: { readonly operation?: string; readonly message: string };
  };
}

interface Interaction {
  readonly request: { readonly method: string; readonly uri: string };
  readonly response: {
    readonly status_code: number;
    readonly content: { readonly $base64: string } | null;
  } | null;
}

const findingsOf = (recorder: Recorder | undefined): Finding[] =>
  Object.entries(recorder?.checks ?? {}).flatMap(([id, checks]) =>
    checks
      .filter(({ status }) => status !== 'success')
      .map(({ name, failure_info: info }) => ({
        operation: info?.failure.operation ?? recorder?.label ?? '',
        check: name,
        message: info?.failure.message ?? '',
        exchange: exchangeOf(recorder?.interactions?.[id]),
      })),
  );

const exchangeOf = (interaction: Interaction | undefined): Exchange | undefined => {
  if (interaction?.response == null) return undefined;
  const { request, response } = interaction;
  const body = Buffer.from(response.content?.$base64 ?? '', 'base64').toString('utf8');
  return {
    request: `${request.method} ${request.uri}`,
    status: response.status_code,
    problem: problemIn(body),
  };
};

const problemIn = (body: string): ReceivedProblem => {
  try {
    return JSON.parse(body) as ReceivedProblem;
  } catch {
    return { detail: body };
  }
};

import type { ConversionRecord } from '@refledger/contracts';
import type { AppendResult, EventLog } from '@refledger/event-log';
import { dataSetEvents } from './data-set-events.js';
import type { DataSetKeys } from './data-set-keys.js';
import type { DataSetSpec } from './data-set-spec.js';
import { FiguresOfConversions, type KnownFigures } from './known-figures.js';

/** The facts about a data set that are known without asking the service. */
export interface KnownDataSet {
  readonly conversions: number;
  readonly events: number;
  readonly figures: KnownFigures;
  /** Some conversions, spread over all of them, in their final state. */
  readonly sample: readonly ConversionRecord[];
}

/** The maximum number of conversions in the sample. */
const sampleSize = 5_000;
/** The maximum number of appends in flight at a time; they share fsyncs. */
const inFlight = 2_048;

/**
 * Appends the events of a data set to a new log. Calls `reported` with the number of conversions so
 * far. A service that starts on the log needs the stored keys.
 */
export const writeDataSet = async (
  log: EventLog,
  spec: DataSetSpec,
  reported: (conversions: number) => void = () => undefined,
  keys?: DataSetKeys,
): Promise<KnownDataSet> => {
  const figures = new FiguresOfConversions();
  const sample = new Map<string, ConversionRecord>();
  const every = Math.max(1, Math.ceil(spec.conversions / sampleSize));
  let conversions = 0;
  let events = 0;
  let inProgress: Promise<AppendResult>[] = [];
  let before: readonly Promise<AppendResult>[] = [];
  for (const { stream, events: added, expected, conversion } of dataSetEvents(spec, keys)) {
    inProgress.push(log.append(stream, added, expected));
    events += added.length;
    if (conversion !== undefined) {
      figures.changed(conversion.before, conversion.after);
      if (
        (conversion.before === undefined && conversions++ % every === 0) ||
        sample.has(conversion.after.id)
      )
        sample.set(conversion.after.id, conversion.after);
    }
    if (inProgress.length < inFlight / 2) continue;
    await Promise.all(before);
    [before, inProgress] = [inProgress, []];
    reported(conversions);
  }
  await Promise.all([...before, ...inProgress]);
  return { conversions, events, figures: figures.known, sample: [...sample.values()] };
};

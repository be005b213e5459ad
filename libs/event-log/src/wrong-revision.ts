import type { StreamName } from '@refledger/contracts';
import { EventLogError } from './event-log-error.js';
import type { Expected } from './event-log.js';

/** The error for a stream that is not at the revision that an append expects. */
export const wrongRevision = (
  stream: StreamName,
  expected: Expected,
  actual: Expected,
): EventLogError =>
  new EventLogError(
    { kind: 'wrong_revision', stream, expected, actual },
    `${stream} is at ${described(actual)}, not at ${described(expected)}`,
  );

const described = (revision: Expected): string =>
  revision === 'no stream' ? 'no revision (there is no such stream)' : `revision ${revision}`;

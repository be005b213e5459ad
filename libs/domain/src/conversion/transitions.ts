import { DomainError } from '@refledger/contracts';
import type { ConversionRecord, ConversionStatus } from '@refledger/contracts';

/** The statuses that may follow each status. A patch to the current status is not a transition. */
const following: Record<ConversionStatus, readonly ConversionStatus[]> = {
  pending: ['approved', 'rejected'],
  approved: ['rejected', 'refunded'],
  rejected: ['approved'],
  refunded: ['approved'],
};

/** Throws `invalid_transition` when the status may not follow the current one. */
export const requireAllowed = (
  status: ConversionStatus,
  record: Pick<ConversionRecord, 'id' | 'status'>,
): void => {
  if (following[record.status].includes(status)) return;
  throw new DomainError(
    'invalid_transition',
    `Conversion ${record.id} is ${record.status} and cannot become ${status}. ${adviceFor(status, record)}`,
  );
};

const adviceFor = (
  status: ConversionStatus,
  { status: current }: Pick<ConversionRecord, 'status'>,
): string =>
  current === 'pending' && status === 'refunded'
    ? 'Nothing is owed for it yet: reject it instead, with status rejected.'
    : `It can become ${following[current].join(' or ')}.`;

import { DomainError } from '@refledger/contracts';
import type { ProgramState } from './program.decider.js';

/** Throws `program_not_active` when an archived program would get something new. */
export const requireActiveProgram = (
  program: ProgramState,
  what: 'affiliates' | 'conversions',
): void => {
  if (program.kind === 'none' || program.record.status === 'active') return;
  throw new DomainError(
    'program_not_active',
    `Program ${program.record.id} is archived and accepts no new ${what}. Set its status to active first.`,
  );
};

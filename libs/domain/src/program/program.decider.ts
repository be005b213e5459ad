import type { ProgramEvent, ProgramId } from '@refledger/contracts';
import type { Decider } from '../decider.js';

export type ProgramState =
  | { readonly kind: 'none' }
  | { readonly kind: 'registered'; readonly program_id: ProgramId; readonly registered_at: string };

export interface ProgramCommand {
  readonly type: 'register';
  readonly program_id: ProgramId;
}

/** A program of an account. Registering it again changes nothing. */
export const programDecider: Decider<ProgramCommand, ProgramState, ProgramEvent> = {
  initial: { kind: 'none' },
  decide: ({ program_id }, state) =>
    state.kind === 'none' ? [{ type: 'program.registered', data: { program_id } }] : [],
  evolve: (_state, { data }, { recordedAt }) => ({
    kind: 'registered',
    program_id: data.program_id,
    registered_at: recordedAt,
  }),
};

import type { ProgramRecord } from '@refledger/contracts';
import { recordFold } from '../record-fold.js';
import { programDecider, type ProgramState } from './program.decider.js';

/** Returns the record as the API shows it; undefined when there is no program. */
export const programRecord = (state: ProgramState): ProgramRecord | undefined =>
  state.kind === 'present' ? state.record : undefined;

/** A program's stream before its first event. */
export const programAggregate = recordFold('program', programDecider, programRecord);

import type { ConversionRecord } from '@refledger/contracts';
import { recordFold } from '../record-fold.js';
import { conversionDecider } from './conversion.decider.js';
import type { ConversionState } from './conversion-state.js';

/** Returns the record as the API shows it; undefined when there is no conversion. */
export const conversionRecord = (state: ConversionState): ConversionRecord | undefined =>
  state.kind === 'recorded' ? state.record : undefined;

/** A conversion's stream before its first event. */
export const conversionAggregate = recordFold('conversion', conversionDecider, conversionRecord);

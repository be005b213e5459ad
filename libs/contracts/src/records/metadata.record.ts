import { z } from 'zod';

/** Metadata in an answer: pairs of text. */
export const metadataRecordSchema = z.record(z.string(), z.string());

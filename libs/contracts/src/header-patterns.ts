/**
 * `Idempotency-Key`: 1 to 255 printable ASCII characters. HTTP strips the spaces around a value, so
 * none are at either end.
 */
export const idempotencyKeyPattern = '^[!-~]([ -~]{0,253}[!-~])?$';

const entityTag = '(W/)?"[!#-~]*"';
/** `If-Match` of RFC 9110 §13.1.1: `*`, or a comma-separated list of entity tags. */
export const ifMatchPattern = `^(\\*|${entityTag}([\\t ]*,[\\t ]*${entityTag})*)$`;

/** A key that makes a request repeatable: printable ASCII; HTTP takes the spaces around it away. */
export const idempotencyKeyPattern = '^[!-~]([ -~]{0,253}[!-~])?$';

const entityTag = '(W/)?"[!#-~]*"';
/** `If-Match` of RFC 9110 §13.1.1: `*`, or entity tags between commas. */
export const ifMatchPattern = `^(\\*|${entityTag}([\\t ]*,[\\t ]*${entityTag})*)$`;

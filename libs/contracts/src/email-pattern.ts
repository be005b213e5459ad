/** Any character of a local part but the dot, and of a domain without and with the hyphen. */
const atext = '[^\\u0000- "(),.:;<>@\\[\\\\\\]\\u007f-\\u00a0]';
const letter = '[^\\u0000-/:-@\\[-`{-\\u00a0]';
const letterOrHyphen = '[^\\u0000-,./:-@\\[-`{-\\u00a0]';
const label = `${letter}(?:${letterOrHyphen}{0,61}${letter})?`;

/**
 * The syntax of an email address for JSON Schema. Many tools do not support `\p` there, so it
 * allows all characters other than ASCII.
 */
export const emailPattern = `^${atext}+(?:\\.${atext}+)*@${label}(?:\\.${label})*$`;

/**
 * Returns a cell of text that no spreadsheet runs as a formula: one that begins with `=`, `+`, `-`,
 * `@`, a tab or a carriage return gets a leading apostrophe, which shows that it is text. Do not
 * use it for numbers: a negative amount must stay a number.
 */
export const csvText = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

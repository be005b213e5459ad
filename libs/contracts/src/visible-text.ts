/**
 * Returns text with the characters escaped, as in JSON, that are invisible or change the direction
 * of text, so that a message or a terminal shows what is there. Joiners and variation selectors
 * stay: words and emoji are written with them.
 */
export const visibleText = (text: string): string => text.replaceAll(hidden, escaped);

const hidden =
  /(?![\u200c\u200d]|[\ufe00-\ufe0f])[\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');

/**
 * Like `JSON.stringify`, but writes a bigint as an integer of any size. Sums of money have no
 * limit.
 */
export const toJson = (value: unknown): string => {
  try {
    // nearly every value has none, and a replacer costs several times as much
    return JSON.stringify(value);
  } catch {
    const marked = JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'bigint' ? `${mark}${member}` : member,
    );
    return marked.replace(markedIntegers, '$1');
  }
};

/** Like `JSON.parse`, but an integer that a number cannot hold becomes a bigint. */
export const fromJson = (text: string): unknown => {
  if (!longInteger.test(text)) return JSON.parse(text);
  const marked = text.replace(stringsAndIntegers, (found, integer: string | undefined) =>
    integer === undefined || Number.isSafeInteger(Number(integer))
      ? found
      : JSON.stringify(`${mark}${integer}`),
  );
  return JSON.parse(marked, (_, member: unknown) =>
    typeof member === 'string' && member.startsWith(mark)
      ? BigInt(member.slice(mark.length))
      : member,
  );
};

/** Starts a text that stands for an integer. No text that Refledger accepts has a NUL. */
const mark = '\u0000';
const markedIntegers = /"\\u0000(-?\d+)"/g;

/** Whether a value of an array or an object may be an integer that a number cannot hold. */
const longInteger = /[:,[]-?\d{16}/;
/** A string, which stays as it is, or an integer that a number may not hold. */
const stringsAndIntegers = /"(?:[^"\\]|\\.)*"|(?<=[:,[])(-?\d{16,})(?=[,\]}])/g;

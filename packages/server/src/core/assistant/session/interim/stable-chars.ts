const letter = /[\p{L}\p{M}\p{N}]/u

/**
 * How many characters at the beginning of `now` two guesses in a row agree about, in whole words: half a word often becomes another. Marks at
 * the end do not count, since recognisers end everything with a full stop.
 */
export const stableChars = (before: string, now: string): number => {
  let common = 0
  while (common < before.length && before[common] === now[common]) common += 1
  let end = common
  if (isInWord(before, common) || isInWord(now, common)) while (end > 0 && letter.test(now.charAt(end - 1))) end -= 1
  while (end > 0 && !letter.test(now.charAt(end - 1))) end -= 1
  return end
}

/** The place is in the middle of a word. */
const isInWord = (text: string, place: number): boolean =>
  place > 0 && letter.test(text.charAt(place - 1)) && letter.test(text.charAt(place))

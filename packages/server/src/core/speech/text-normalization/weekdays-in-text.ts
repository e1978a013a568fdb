import { isLast } from './places.ts'
import type { Wording } from './wording.ts'

interface Patterns {
  range: RegExp
  alone: RegExp
}
const patterns = new Map<Wording, Patterns>()

const patternsOf = (wording: Wording): Patterns => {
  let found = patterns.get(wording)
  if (!found) {
    const short = Object.keys(wording.weekdays)
      .toSorted((a, b) => b.length - a.length)
      .join('|')
    found = {
      range: new RegExp(String.raw`(?<![\p{L}\p{N}-])(${short})\.? ?[–-] ?(${short})(?![\p{L}\p{N}-])(\.?)`, 'gu'),
      // With a dot, unless a name follows as after Frau; or before a time, or a comma and a date.
      alone: new RegExp(
        String.raw`(?<![\p{L}\p{N}])(${short})(?:(\.)(?! \p{Lu})|(?=, (?:\d|\p{Lu}\p{Ll}{2,8}\.? \d))|(?= \d{1,2}(?::\d| ?[–-] ?\d| ?(?:Uhr|[ap]m|to|bis)(?!\p{L}))))`,
        'gu',
      ),
    }
    patterns.set(wording, found)
  }
  return found
}

/** Mo.–Fr., Thu. */
export const sayWeekdaysIn = (text: string, wording: Wording): string => {
  const { range, alone } = patternsOf(wording)
  const names = wording.weekdays
  const said = text.replace(range, (all, from: string, until: string, dot: string, at: number, whole: string) => {
    return `${names[from]} ${wording.to} ${names[until]}${dot !== '' && isLast(whole)(at + all.length) ? '.' : ''}`
  })
  const last = isLast(said)
  return said.replace(alone, (all, short: string, dot: string | undefined, at: number) => {
    return `${names[short]}${dot !== undefined && last(at + all.length) ? '.' : ''}`
  })
}

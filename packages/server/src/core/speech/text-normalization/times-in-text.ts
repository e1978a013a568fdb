import type { Wording } from './wording.ts'

const clock = /(?<![\p{L}\d:.])(\d{1,2}):([0-5]\d)(?::([0-5]\d))?(?![\d:])(?:\s?(Uhr|h|a\.m\.|p\.m\.|am|pm|AM|PM)(?!\p{L}))?/gu

export const sayTimesIn = (text: string, wording: Wording): string =>
  text.replace(clock, (written, hour: string, minute: string, second: string | undefined, suffix: string | undefined, at: number) => {
    if (Number(hour) > 24) return written
    const half = /^[ap]/i.test(suffix ?? '') ? halfOf(suffix) : {}
    const time = { hour: Number(hour), minute: Number(minute), ...(second && { second: Number(second) }), ...half }
    return wording.time(time) + closing(written, text, at)
  })

/** The dot of "p.m." may end the sentence as well. */
export const closing = (written: string, text: string, at: number): string => {
  const end = at + written.length
  return written.endsWith('.') && /^\s*(?:$|\p{Lu})/u.test(text.slice(end, end + 40)) ? '.' : ''
}

export const halfOf = (suffix: string | undefined): { half: 'am' | 'pm' } => ({ half: /^a/i.test(suffix ?? '') ? 'am' : 'pm' })

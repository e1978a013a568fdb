import { extensionCodes, plainCodes } from './gsm-alphabet.ts'

export type SmsEncoding = 'GSM7' | 'UCS2'

/** How a text travels, and what each message of it says. */
export interface CutText {
  encoding: SmsEncoding
  parts: string[]
}

export interface Segments {
  encoding: SmsEncoding
  segments: number
}

/** Room in a message that stands alone, and in each part of several, where a header takes its share. In septets or UTF-16 units. */
const room = { GSM7: { alone: 160, part: 153 }, UCS2: { alone: 70, part: 67 } }

/** In how many messages a text travels, each of which is charged. */
export function countSegments(text: string): Segments {
  const { encoding, parts } = cutText(text)
  return { encoding, segments: parts.length }
}

/** Characters of two units are never cut in half. */
export function cutText(text: string): CutText {
  const characters = Array.from(text)
  const septets = septetsOf(characters)
  const encoding = septets ? 'GSM7' : 'UCS2'
  const sizes = septets ?? characters.map((character) => character.length)
  const { alone, part } = room[encoding]
  const total = sizes.reduce((sum, size) => sum + size, 0)
  return { encoding, parts: total <= alone ? [text] : cut(characters, sizes, part) }
}

/** The septets of each character, or undefined if one of them is not in the alphabet. */
function septetsOf(characters: readonly string[]): number[] | undefined {
  const sizes: number[] = []
  for (const character of characters) {
    if (plainCodes.has(character)) sizes.push(1)
    else if (extensionCodes.has(character)) sizes.push(2)
    else return undefined
  }
  return sizes
}

function cut(characters: readonly string[], sizes: readonly number[], max: number): string[] {
  const parts: string[] = []
  let used = max
  for (const [index, character] of characters.entries()) {
    const size = sizes[index] ?? 0
    if (used + size > max) {
      parts.push('')
      used = 0
    }
    parts.push((parts.pop() ?? '') + character)
    used += size
  }
  return parts
}

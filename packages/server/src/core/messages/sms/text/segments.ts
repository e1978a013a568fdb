import { extensionCodes, plainCodes } from './gsm-alphabet.ts'

export type SmsEncoding = 'GSM7' | 'UCS2'

/** Encoding of a text, and the text of each message. */
interface CutText {
  encoding: SmsEncoding
  parts: string[]
}

interface Segments {
  encoding: SmsEncoding
  segments: number
}

/** Capacity of a single message, and of each part, where a header takes space. In septets or UTF-16 units. */
const room = { GSM7: { alone: 160, part: 153 }, UCS2: { alone: 70, part: 67 } }

/** Number of messages of a text, each of which is charged. */
export function countSegments(text: string): Segments {
  const { encoding, parts } = cutText(text)
  return { encoding, segments: parts.length }
}

/** Never splits characters of two units. */
export function cutText(text: string): CutText {
  const characters = Array.from(text)
  const septets = septetsOf(characters)
  const encoding = septets ? 'GSM7' : 'UCS2'
  const sizes = septets ?? characters.map((character) => character.length)
  const { alone, part } = room[encoding]
  const total = sizes.reduce((sum, size) => sum + size, 0)
  return { encoding, parts: total <= alone ? [text] : cut(characters, sizes, part) }
}

/** Septets of each character; undefined if one is not in the alphabet. */
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

export interface Segments {
  encoding: 'GSM7' | 'UCS2'
  segments: number
}

// 3GPP TS 23.038: one septet each, and the extension table that costs an escape on top.
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const extension = new Set('\f^{}\\[~]|€')

/** Room in a message that stands alone, and in each part of several, where a header takes its share. In septets or UTF-16 units. */
const room = { GSM7: { alone: 160, part: 153 }, UCS2: { alone: 70, part: 67 } }

/** How a text travels and in how many messages, each of which is charged. Characters of two units are never cut in half. */
export function countSegments(text: string): Segments {
  const septets = septetsOf(text)
  const encoding = septets ? 'GSM7' : 'UCS2'
  const sizes = septets ?? Array.from(text, (character) => character.length)
  return { encoding, segments: partsFor(sizes, room[encoding]) }
}

/** The septets of each character, or undefined if one of them is not in the alphabet. */
function septetsOf(text: string): number[] | undefined {
  const sizes: number[] = []
  for (const character of text) {
    if (basic.has(character)) sizes.push(1)
    else if (extension.has(character)) sizes.push(2)
    else return undefined
  }
  return sizes
}

function partsFor(sizes: number[], { alone, part }: { alone: number; part: number }): number {
  let total = 0
  let parts = 1
  let used = 0
  for (const size of sizes) {
    total += size
    if (used + size > part) {
      parts += 1
      used = 0
    }
    used += size
  }
  return total <= alone ? 1 : parts
}

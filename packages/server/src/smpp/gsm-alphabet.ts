/** 3GPP TS 23.038 §6.2.1, in the order of the codes. 0x1b is the escape and no character. */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

const escape = 0x1b

/** What follows an escape (§6.2.1.1). */
const extension: Record<number, string> = {
  0x0a: '\f',
  0x14: '^',
  0x28: '{',
  0x29: '}',
  0x2f: '\\',
  0x3c: '[',
  0x3d: '~',
  0x3e: ']',
  0x40: '|',
  0x65: '€',
}

/** By UTF-16 unit: the septet, or escape and septet in two octets. */
const codes = new Map<number, number>()
for (let code = 0; code < basic.length; code++) if (code !== escape) codes.set(basic.charCodeAt(code), code)
for (const [code, character] of Object.entries(extension)) codes.set(character.charCodeAt(0), (escape << 8) | Number(code))

/** Septets, one in each octet, with escapes; undefined if a character is not in the alphabet. */
export const encodeGsm = (text: string): Uint8Array | undefined => {
  const septets = Buffer.allocUnsafe(2 * text.length)
  let length = 0
  for (let i = 0; i < text.length; i++) {
    const code = codes.get(text.charCodeAt(i))
    if (code === undefined) return undefined
    if (code > 0xff) septets[length++] = escape
    septets[length++] = code & 0xff
  }
  return septets.subarray(0, length)
}

/** An escape before something unknown is a space and the character of the basic table follows, as old phones show it (§6.2.1.1). */
export const decodeGsm = (septets: Uint8Array): string => {
  let text = ''
  for (let i = 0; i < septets.length; i++) {
    const code = septets[i]! & 0x7f
    const special = code === escape ? extension[septets[i + 1] ?? -1] : undefined
    text += special ?? (code === escape ? ' ' : basic[code])
    if (special !== undefined) i++
  }
  return text
}

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

/** data_coding (SMPP 3.4 §5.2.19), the values for text messages. */
export const dataCoding = { gsm: 0, ascii: 1, latin1: 3, ucs2: 8 } as const

/**
 * Meaning of data_coding 1. It should be ASCII; a widespread library (npm smpp) sends the GSM alphabet under it, and other programs hardly
 * ever use it.
 */
export type Ia5 = 'ascii' | 'gsm'

/** Undefined for binary or an unused coding. Keeps half a surrogate pair: the other half is in the next part. */
export const decodeText = (coding: number, bytes: Uint8Array, ia5: Ia5 = 'ascii'): string | undefined => {
  if (coding === dataCoding.gsm) return decodeGsm(bytes)
  if (coding === dataCoding.ascii) return ia5 === 'gsm' || isSurelyGsm(bytes) ? decodeGsm(bytes) : latin1(bytes)
  if (coding === dataCoding.latin1) return latin1(bytes)
  if (coding === dataCoding.ucs2) return decodeUtf16(bytes)
  if (coding === 6) return new TextDecoder('iso-8859-5').decode(bytes)
  if (coding === 7) return new TextDecoder('iso-8859-8').decode(bytes)
  return coding >= 0x10 ? decodeGsmGroup(coding, bytes) : undefined
}

/** In ASCII these would be control characters. */
const isSurelyGsm = (bytes: Uint8Array): boolean =>
  bytes.some((octet) => octet === 0x7f || (octet < 0x20 && octet !== 0x09 && octet !== 0x0a && octet !== 0x0d))

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** Drops a trailing odd octet. */
const decodeUtf16 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le')

/** For peers that pass on the GSM data coding scheme unchanged (3GPP TS 23.038 §4): message classes and waiting indications. */
const decodeGsmGroup = (coding: number, bytes: Uint8Array): string | undefined => {
  if (coding >= 0xf0) return (coding & 0x04) === 0 ? decodeGsm(bytes) : undefined
  if (coding >= 0xe0) return decodeUtf16(bytes)
  if (coding >= 0xc0) return decodeGsm(bytes)
  // Compressed, marked for deletion, or reserved: only the plain group with a class is supported.
  if (coding >= 0x20) return undefined
  const alphabet = (coding >> 2) & 3
  if (alphabet === 0) return decodeGsm(bytes)
  return alphabet === 2 ? decodeUtf16(bytes) : undefined
}

/** 3GPP TS 23.038 §6.2.1, in code order. 0x1b is the escape, not a character. */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

const escape = 0x1b

/** Characters after an escape (§6.2.1.1). */
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

/** An escape before an unknown code becomes a space, followed by the character of the basic table, as old phones show it (§6.2.1.1). */
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

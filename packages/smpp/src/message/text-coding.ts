import { decodeGsm } from './gsm-alphabet.ts'

/** data_coding (SMPP 3.4 §5.2.19), as far as messages for people have it. */
export const dataCoding = { gsm: 0, ascii: 1, latin1: 3, ucs2: 8 } as const

/**
 * What data_coding 1 stands for. It should be ASCII; a widespread library for programs (npm smpp) sends the GSM alphabet under it, and
 * other programs hardly ever use it.
 */
export type Ia5 = 'ascii' | 'gsm'

/** undefined: binary, or a coding that is not in use. Half a surrogate pair is kept: the other half is in the next part. */
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

/** A last odd octet is no character. */
const decodeUtf16 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le')

/** Peers that pass the data coding scheme of GSM on as it is (3GPP TS 23.038 §4): message classes and waiting indications. */
const decodeGsmGroup = (coding: number, bytes: Uint8Array): string | undefined => {
  if (coding >= 0xf0) return (coding & 0x04) === 0 ? decodeGsm(bytes) : undefined
  if (coding >= 0xe0) return decodeUtf16(bytes)
  if (coding >= 0xc0) return decodeGsm(bytes)
  // Compressed, or marked for deletion, or reserved: only the plain group with a class is known.
  if (coding >= 0x20) return undefined
  const alphabet = (coding >> 2) & 3
  if (alphabet === 0) return decodeGsm(bytes)
  return alphabet === 2 ? decodeUtf16(bytes) : undefined
}

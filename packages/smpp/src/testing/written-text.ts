import { dataCoding } from '../message/text-coding.ts'
import { npmSmpp } from './npm-smpp.ts'

/**
 * A text as npm `smpp` encodes it: in the GSM alphabet if that has every character, else in UCS-2; in one piece regardless of its length.
 */
export const writtenText = (text: string): { dataCoding: number; bytes: Uint8Array } => {
  const { ASCII, UCS2 } = npmSmpp.encodings
  return ASCII.match(text)
    ? { dataCoding: dataCoding.gsm, bytes: ASCII.encode(text) }
    : { dataCoding: dataCoding.ucs2, bytes: UCS2.encode(text) }
}

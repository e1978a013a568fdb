import type { Payload } from './sdp.ts'

/** RFC 3551: the numbers that need no rtpmap. G.722 says 8000 for historical reasons. */
const statics: Readonly<Record<number, readonly [encoding: string, clockRate: number]>> = {
  0: ['PCMU', 8000],
  3: ['GSM', 8000],
  4: ['G723', 8000],
  8: ['PCMA', 8000],
  9: ['G722', 8000],
  13: ['CN', 8000],
  15: ['G728', 8000],
  18: ['G729', 8000],
  26: ['JPEG', 90000],
  31: ['H261', 90000],
  32: ['MPV', 90000],
  34: ['H263', 90000],
}

/** What is known of a payload type before its attributes are read. */
export const plainPayload = (type: number): Payload => {
  const [encoding, clockRate] = statics[type] ?? ['', 0]
  return { type, encoding, clockRate, channels: 1, fmtp: undefined }
}

/** RFC 3550 §5.1. */
export const rtpHeaderBytes = 12

/** One per receiver, reused for every packet. */
export class RtpPacket {
  bytes: Uint8Array = new Uint8Array(0)
  marker = false
  payloadType = 0
  sequence = 0
  timestamp = 0
  ssrc = 0
  /** The payload is `bytes[payloadStart, payloadEnd)`, without padding. */
  payloadStart = 0
  payloadEnd = 0
}

/** Start of the payload, after contributing sources and a header extension; -1 if it is not RTP. */
export const rtpPayloadStart = (bytes: Uint8Array, length: number): number => {
  if (length < rtpHeaderBytes || length > bytes.length) return -1
  const first = bytes[0]!
  if (first >> 6 !== 2) return -1
  let start = rtpHeaderBytes + (first & 15) * 4
  if (first & 0x10) {
    if (start + 4 > length) return -1
    start += 4 + ((bytes[start + 2]! << 8) | bytes[start + 3]!) * 4
  }
  return start > length ? -1 : start
}

/** Parses the header in place. False: not RTP, and `into` is unchanged. */
export const parseRtp = (bytes: Uint8Array, length: number, into: RtpPacket): boolean => {
  const start = rtpPayloadStart(bytes, length)
  if (start < 0) return false
  let end = length
  if (bytes[0]! & 0x20) {
    const padding = bytes[length - 1]!
    if (padding === 0 || start + padding > length) return false
    end -= padding
  }
  const second = bytes[1]!
  into.bytes = bytes
  into.marker = second > 127
  into.payloadType = second & 127
  into.sequence = (bytes[2]! << 8) | bytes[3]!
  into.timestamp = readUint32(bytes, 4)
  into.ssrc = readUint32(bytes, 8)
  into.payloadStart = start
  into.payloadEnd = end
  return true
}

/** Writes the 12 header bytes. Wraps sequence and timestamp. */
export const writeRtpHeader = (
  into: Uint8Array,
  payloadType: number,
  marker: boolean,
  sequence: number,
  timestamp: number,
  ssrc: number,
): void => {
  into[0] = 0x80
  into[1] = marker ? payloadType | 0x80 : payloadType
  into[2] = sequence >> 8
  into[3] = sequence
  writeUint32(into, 4, timestamp)
  writeUint32(into, 8, ssrc)
}

/** RTP and RTCP on one port: RFC 5761 §4. */
export const isRtcp = (bytes: Uint8Array, length: number): boolean =>
  length >= 8 && bytes[0]! >> 6 === 2 && bytes[1]! >= 192 && bytes[1]! <= 223

export const readUint32 = (bytes: Uint8Array, at: number): number =>
  ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0

export const writeUint32 = (into: Uint8Array, at: number, value: number): void => {
  into[at] = value >>> 24
  into[at + 1] = value >>> 16
  into[at + 2] = value >>> 8
  into[at + 3] = value
}

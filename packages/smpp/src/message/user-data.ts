import { esm } from '../pdu/pdu.ts'
import type { MessageFields, Tlvs } from '../pdu/pdu.ts'
import { decodeText } from './text-coding.ts'
import type { Ia5 } from './text-coding.ts'

/** Part number and total, counted from 1; all parts share the reference. */
interface Concatenation {
  reference: number
  total: number
  number: number
}

interface UserData {
  /** Without the header. */
  bytes: Uint8Array
  /** Decoded by data_coding; undefined for binary messages. */
  text: string | undefined
  of: Concatenation | undefined
  /** A port of an application on the phone (WAP push, SIM): not for people. */
  port: number | undefined
}

/** Elements of the user data header (3GPP TS 23.040 §9.2.3.24). */
const element = { concatenated: 0x00, port8: 0x04, port16: 0x05, concatenated16: 0x08 } as const

/** The header of one part, six octets. */
export const concatenationHeader = (of: Concatenation): Uint8Array =>
  Uint8Array.of(5, element.concatenated, 3, of.reference & 0xff, of.total, of.number)

/** Content of a message: from short_message or message_payload, its part number from the header or sar_* parameters. Never throws. */
export const readUserData = (message: MessageFields, ia5?: Ia5): UserData => {
  const { tlvs } = message
  const whole = message.shortMessage.length === 0 ? (tlvs.messagePayload ?? message.shortMessage) : message.shortMessage
  const header = (message.esmClass & esm.userDataHeader) === 0 ? undefined : readHeader(whole)
  const bytes = header ? whole.subarray(header.length) : whole
  return {
    bytes,
    text: decodeText(message.dataCoding, bytes, ia5),
    of: header?.of ?? concatenationOf(tlvs),
    port: header?.port ?? tlvs.destinationPort,
  }
}

interface Header {
  length: number
  of: Concatenation | undefined
  port: number | undefined
}

/** Undefined if the elements do not fill it exactly: then there is no header, regardless of esm_class, and nothing is cut off. */
const readHeader = (bytes: Uint8Array): Header | undefined => {
  const end = 1 + (bytes[0] ?? 0)
  if (end > bytes.length || bytes.length === 0) return undefined
  const header: Header = { length: end, of: undefined, port: undefined }
  let at = 1
  while (at + 2 <= end) {
    const value = bytes.subarray(at + 2, at + 2 + bytes[at + 1]!)
    at += 2 + bytes[at + 1]!
    if (at > end) return undefined
    readElement(header, bytes[at - value.length - 2]!, value)
  }
  return at === end ? header : undefined
}

const readElement = (header: Header, id: number, value: Uint8Array): void => {
  const [a = 0, b = 0, c = 0, d = 0] = value
  if (id === element.concatenated && value.length === 3) header.of = sensible(a, b, c)
  else if (id === element.concatenated16 && value.length === 4) header.of = sensible((a << 8) | b, c, d)
  else if (id === element.port8 && value.length === 2) header.port = a
  else if (id === element.port16 && value.length === 4) header.port = (a << 8) | b
}

const concatenationOf = ({ sarReference, sarTotal, sarNumber }: Tlvs): Concatenation | undefined =>
  sarReference === undefined || sarTotal === undefined || sarNumber === undefined ? undefined : sensible(sarReference, sarTotal, sarNumber)

/** A single part is not concatenated; an impossible number is ignored (§9.2.3.24.1). */
const sensible = (reference: number, total: number, number: number): Concatenation | undefined =>
  total > 1 && total <= 255 && number >= 1 && number <= total ? { reference, total, number } : undefined

import type { OctetReader, OctetWriter } from './octets.ts'
import type { Tlvs } from './pdu.ts'
import { SmppError } from './smpp-error.ts'
import { status } from './status.ts'

type Kind = 'octet' | 'word' | 'text' | 'bytes'

interface Definition {
  tag: number
  kind: Kind
}

/** SMPP 3.4 §5.3.2 */
const definitions: Record<keyof Tlvs, Definition> = {
  sourcePort: { tag: 0x020a, kind: 'word' },
  destinationPort: { tag: 0x020b, kind: 'word' },
  receiptedMessageId: { tag: 0x001e, kind: 'text' },
  messageState: { tag: 0x0427, kind: 'octet' },
  networkErrorCode: { tag: 0x0423, kind: 'bytes' },
  userMessageReference: { tag: 0x0204, kind: 'word' },
  sarReference: { tag: 0x020c, kind: 'word' },
  sarTotal: { tag: 0x020e, kind: 'octet' },
  sarNumber: { tag: 0x020f, kind: 'octet' },
  messagePayload: { tag: 0x0424, kind: 'bytes' },
  additionalStatusText: { tag: 0x001d, kind: 'text' },
  scInterfaceVersion: { tag: 0x0210, kind: 'octet' },
}

const byTag = new Map(Object.entries(definitions).map(([name, { tag, kind }]) => [tag, { name: name as keyof Tlvs, kind }]))

/** Reads to the end of the PDU. Skips unknown ones; the last of two with the same tag counts. */
export const readTlvs = (reader: OctetReader): Tlvs => {
  const tlvs: Record<string, unknown> = {}
  while (reader.left > 0) {
    if (reader.left < 4) return endOf(reader, tlvs)
    const definition = byTag.get(reader.word())
    const value = reader.bytes(reader.word(), status.invalidOptionalPart)
    if (definition) tlvs[definition.name] = valueOf(definition.kind, value)
  }
  return tlvs
}

/** Some peers append an extra zero. */
const endOf = (reader: OctetReader, tlvs: Tlvs): Tlvs => {
  while (reader.left > 0) {
    if (reader.octet() !== 0) throw new SmppError(status.invalidOptionalPart, 'An optional parameter ends too early')
  }
  return tlvs
}

const valueOf = (kind: Kind, value: Buffer): number | string | Buffer => {
  if (kind === 'bytes') return value
  if (kind === 'text') {
    const zero = value.indexOf(0)
    return value.toString('latin1', 0, zero < 0 ? value.length : zero)
  }
  // Peers are not careful about the width of numbers.
  if (value.length < 1 || value.length > 4) throw new SmppError(status.invalidParameterLength, 'A number has a strange length')
  return value.readUIntBE(0, value.length)
}

/** Maximum encoded size. */
export const tlvsSize = (tlvs: Tlvs): number => {
  let size = 0
  for (const key in tlvs) {
    const value = tlvs[key as keyof Tlvs]
    if (value !== undefined) size += 7 + (typeof value === 'number' ? 0 : value.length)
  }
  return size
}

export const writeTlvs = (writer: OctetWriter, tlvs: Tlvs): void => {
  for (const key in tlvs) {
    const value = tlvs[key as keyof Tlvs]
    if (value !== undefined) writeTlv(writer, definitions[key as keyof Tlvs], value)
  }
}

const writeTlv = (writer: OctetWriter, { tag, kind }: Definition, value: number | string | Uint8Array): void => {
  writer.word(tag)
  if (typeof value === 'number') {
    writer.word(kind === 'octet' ? 1 : 2)
    if (kind === 'octet') writer.octet(value)
    else writer.word(value)
    return
  }
  if (value.length > 0xfffe) throw new SmppError(status.invalidParameterLength, 'An optional parameter is too long')
  writer.word(value.length + (typeof value === 'string' ? 1 : 0))
  if (typeof value === 'string') writer.text(value, value.length, status.invalidOptionalValue)
  else writer.bytes(value)
}

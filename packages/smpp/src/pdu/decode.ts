import { fields, limits, OctetReader } from './octets.ts'
import { commandNames, isBind, isBindResponse, isMessageResponse, isResponseCommand, messageFields } from './pdu.ts'
import type { BindRequest, MessageRequest, Pdu, ResponsePdu, SmppAddress, Tlvs } from './pdu.ts'
import { SmppError } from './smpp-error.ts'
import { status } from './status.ts'
import { readTlvs } from './tlv.ts'

export interface PduHeader {
  /** Undefined: a command unknown to SMPP 3.4. */
  command: Pdu['command'] | undefined
  isResponse: boolean
  status: number
  sequence: number
}

/** Header of a complete PDU from the framer. */
export const readHeader = (pdu: Buffer): PduHeader => {
  const id = pdu.readUInt32BE(4)
  return { command: commandNames.get(id), isResponse: id >= 0x80000000, status: pdu.readUInt32BE(8), sequence: pdu.readUInt32BE(12) }
}

/** Throws SmppError with the response status. Byte fields are views of `pdu`. */
export const decodePdu = (pdu: Buffer, header: PduHeader = readHeader(pdu)): Pdu => {
  const { command, sequence } = header
  const reader = new OctetReader(pdu, limits.headerBytes)
  if (command === undefined) throw new SmppError(status.invalidCommand, 'An unknown command')
  if (command === 'submit_sm' || command === 'deliver_sm') return readShortMessage(reader, command, sequence)
  if (command === 'data_sm') return readDataMessage(reader, sequence)
  if (isBind(command)) return readBind(reader, command, sequence)
  if (isResponseCommand(command)) return readResponse(reader, command, header)
  return { command, sequence }
}

const readBind = (reader: OctetReader, command: BindRequest['command'], sequence: number): BindRequest => ({
  command,
  sequence,
  systemId: reader.text(...fields.systemId),
  password: reader.text(...fields.password),
  systemType: reader.text(...fields.systemType),
  interfaceVersion: reader.octet(),
  addressTon: reader.octet(),
  addressNpi: reader.octet(),
  addressRange: reader.text(...fields.addressRange),
})

const readAddress = (reader: OctetReader, rule: readonly [number, number]): SmppAddress => ({
  ton: reader.octet(),
  npi: reader.octet(),
  value: reader.text(...rule),
})

/** The order of the properties is the order on the wire. */
const readShortMessage = (reader: OctetReader, command: 'submit_sm' | 'deliver_sm', sequence: number): MessageRequest => ({
  command,
  sequence,
  serviceType: reader.text(...fields.serviceType),
  source: readAddress(reader, fields.longSource),
  destination: readAddress(reader, fields.longDestination),
  esmClass: reader.octet(),
  protocolId: reader.octet(),
  priority: reader.octet(),
  scheduleTime: reader.text(...fields.scheduleTime),
  validityPeriod: reader.text(...fields.validityPeriod),
  registeredDelivery: reader.octet(),
  replaceIfPresent: reader.octet(),
  dataCoding: reader.octet(),
  defaultMessageId: reader.octet(),
  shortMessage: reader.bytes(reader.octet(), status.invalidMessageLength),
  tlvs: readTlvs(reader),
})

const readDataMessage = (reader: OctetReader, sequence: number): MessageRequest => {
  const serviceType = reader.text(...fields.serviceType)
  const source = readAddress(reader, fields.longSource)
  const destination = readAddress(reader, fields.longDestination)
  const [esmClass, registeredDelivery, dataCoding] = [reader.octet(), reader.octet(), reader.octet()]
  const given = { serviceType, source, destination, esmClass, registeredDelivery, dataCoding, tlvs: readTlvs(reader) }
  return { ...messageFields(given), command: 'data_sm', sequence }
}

/** Responses are parsed leniently: the request was executed, even if the far end describes it badly. */
const readResponse = (reader: OctetReader, command: ResponsePdu['command'], { status: code, sequence }: PduHeader): ResponsePdu => {
  if (isBindResponse(command)) {
    return { command, status: code, sequence, systemId: reader.lenientText(), tlvs: lenientTlvs(reader) }
  }
  if (isMessageResponse(command)) {
    return { command, status: code, sequence, messageId: reader.lenientText(), tlvs: lenientTlvs(reader) }
  }
  return { command, status: code, sequence }
}

const lenientTlvs = (reader: OctetReader): Tlvs => {
  try {
    return readTlvs(reader)
  } catch (error) {
    if (error instanceof SmppError) return {}
    throw error
  }
}

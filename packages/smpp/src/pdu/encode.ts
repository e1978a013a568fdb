import { fields, limits, OctetWriter } from './octets.ts'
import { commandIds, isResponse } from './pdu.ts'
import type { BindRequest, BindResponse, MessageCommand, MessageFields, MessageResponse, Pdu, ResponsePdu, SmppAddress } from './pdu.ts'
import { SmppError } from './smpp-error.ts'
import { status } from './status.ts'
import { tlvsSize, writeTlvs } from './tlv.ts'

const begin = (command: Pdu['command'], code: number, sequence: number, bodySize: number): OctetWriter => {
  const writer = new OctetWriter(limits.headerBytes + bodySize)
  writer.long(0)
  writer.long(commandIds[command])
  writer.long(code)
  writer.long(sequence)
  return writer
}

/** Throws SmppError if a field does not fit. */
export const encodePdu = (pdu: Pdu): Buffer => {
  if (isResponse(pdu)) return encodeResponse(pdu)
  if ('shortMessage' in pdu) return encodeMessage(pdu.command, pdu.sequence, pdu)
  if ('password' in pdu) return encodeBind(pdu)
  return begin(pdu.command, status.ok, pdu.sequence, 0).finish()
}

const encodeResponse = (pdu: ResponsePdu): Buffer => {
  if ('messageId' in pdu) return encodeNaming(pdu, pdu.messageId, fields.messageId)
  if ('systemId' in pdu) return encodeNaming(pdu, pdu.systemId, fields.systemId)
  return begin(pdu.command, pdu.status, pdu.sequence, 0).finish()
}

/** The response to a rejected request; only deliver_sm_resp has a body, an empty id (§4.6.2). */
export const encodeRefusal = (command: ResponsePdu['command'], code: number, sequence: number): Buffer => {
  const writer = begin(command, code, sequence, 1)
  if (command === 'deliver_sm_resp') writer.octet(0)
  return writer.finish()
}

const encodeBind = (pdu: BindRequest): Buffer => {
  const { systemId, password, systemType, addressRange } = pdu
  const writer = begin(
    pdu.command,
    status.ok,
    pdu.sequence,
    7 + systemId.length + password.length + systemType.length + addressRange.length,
  )
  writer.text(systemId, ...fields.systemId)
  writer.text(password, ...fields.password)
  writer.text(systemType, ...fields.systemType)
  writer.octet(pdu.interfaceVersion)
  writer.octet(pdu.addressTon)
  writer.octet(pdu.addressNpi)
  writer.text(addressRange, ...fields.addressRange)
  return writer.finish()
}

/** Its only mandatory field is a name: of the message centre or of the message. */
const encodeNaming = (
  pdu: BindResponse | MessageResponse,
  name: string,
  [maxLength, wrong]: (typeof fields)['systemId' | 'messageId'],
): Buffer => {
  if (pdu.status !== status.ok) return encodeRefusal(pdu.command, pdu.status, pdu.sequence)
  const writer = begin(pdu.command, pdu.status, pdu.sequence, 1 + name.length + tlvsSize(pdu.tlvs))
  writer.text(name, maxLength, wrong)
  writeTlvs(writer, pdu.tlvs)
  return writer.finish()
}

/** Octets of the fields that are neither strings nor the message, and the terminating zeros of the strings. */
const fixedPart = 20

export const encodeMessage = (command: MessageCommand, sequence: number, message: MessageFields): Buffer => {
  const { serviceType, source, destination, scheduleTime, validityPeriod, shortMessage } = message
  if (shortMessage.length > limits.shortMessage) throw new SmppError(status.invalidMessageLength, 'The short message is too long')
  const strings = serviceType.length + source.value.length + destination.value.length + scheduleTime.length + validityPeriod.length
  const writer = begin(command, status.ok, sequence, fixedPart + strings + shortMessage.length + tlvsSize(message.tlvs))
  writer.text(serviceType, ...fields.serviceType)
  if (command === 'data_sm') writeDataBody(writer, message)
  else writeShortBody(writer, message)
  writeTlvs(writer, message.tlvs)
  return writer.finish()
}

const writeAddress = (writer: OctetWriter, { ton, npi, value }: SmppAddress, rule: readonly [number, number]): void => {
  writer.octet(ton)
  writer.octet(npi)
  writer.text(value, ...rule)
}

const writeShortBody = (writer: OctetWriter, message: MessageFields): void => {
  writeAddress(writer, message.source, fields.source)
  writeAddress(writer, message.destination, fields.destination)
  writer.octet(message.esmClass)
  writer.octet(message.protocolId)
  writer.octet(message.priority)
  writer.text(message.scheduleTime, ...fields.scheduleTime)
  writer.text(message.validityPeriod, ...fields.validityPeriod)
  writer.octet(message.registeredDelivery)
  writer.octet(message.replaceIfPresent)
  writer.octet(message.dataCoding)
  writer.octet(message.defaultMessageId)
  writer.octet(message.shortMessage.length)
  writer.bytes(message.shortMessage)
}

const writeDataBody = (writer: OctetWriter, message: MessageFields): void => {
  writeAddress(writer, message.source, fields.longSource)
  writeAddress(writer, message.destination, fields.longDestination)
  writer.octet(message.esmClass)
  writer.octet(message.registeredDelivery)
  writer.octet(message.dataCoding)
}

import { esm } from '../pdu/pdu.ts'
import type { MessageFields, Tlvs } from '../pdu/pdu.ts'
import { dataCoding, decodeText } from './text-coding.ts'
import { readUserData } from './user-data.ts'

type ReceiptState = 'ENROUTE' | 'DELIVERED' | 'EXPIRED' | 'UNDELIVERABLE' | 'REJECTED' | 'UNKNOWN'

interface Receipt {
  id: string
  state: ReceiptState
  /** The network's error as written; empty if none. */
  error: string
}

/** message_state (SMPP 3.4 §5.2.28). DELETED never arrives; ACCEPTED was read on behalf of the subscriber. */
const states: Record<number, ReceiptState> = {
  1: 'ENROUTE',
  2: 'DELIVERED',
  3: 'EXPIRED',
  4: 'UNDELIVERABLE',
  5: 'UNDELIVERABLE',
  6: 'ENROUTE',
  7: 'UNKNOWN',
  8: 'REJECTED',
}

/** State words of appendix B by their first five letters: the endings differ between vendors. */
const stateWords: Record<string, ReceiptState> = {
  ENROU: 'ENROUTE',
  BUFFE: 'ENROUTE',
  ACCEP: 'ENROUTE',
  DELIV: 'DELIVERED',
  EXPIR: 'EXPIRED',
  DELET: 'UNDELIVERABLE',
  UNDEL: 'UNDELIVERABLE',
  FAILE: 'UNDELIVERABLE',
  REJEC: 'REJECTED',
  UNKNO: 'UNKNOWN',
}

/** The receipt in a deliver_sm or data_sm; undefined for an ordinary message, or without the id of its message. */
export const readReceipt = (message: MessageFields): Receipt | undefined => {
  const { tlvs, esmClass } = message
  const type = esmClass & esm.typeMask
  const marked = type === esm.receipt || type === esm.intermediateNotification
  if (!marked && (tlvs.receiptedMessageId ?? '') === '') return undefined
  const said = readWords(wordsOf(message))
  const id = tlvs.receiptedMessageId || said.get('id') || ''
  if (id === '') return undefined
  const state = states[tlvs.messageState ?? -1] ?? stateWords[(said.get('stat') ?? '').slice(0, 5).toUpperCase()] ?? 'UNKNOWN'
  return { id, state, error: errorOf(said.get('err') ?? '', tlvs.networkErrorCode) }
}

/** Message centres write receipts in ASCII regardless of data_coding: an underscore in an id must stay one. */
const wordsOf = (message: MessageFields): string => {
  const { bytes, text = '' } = readUserData(message)
  return message.dataCoding === dataCoding.gsm ? (decodeText(dataCoding.ascii, bytes) ?? '') : text
}

const errorOf = (err: string, network: Uint8Array | undefined): string => {
  if (/[^0]/.test(err)) return err
  const code = network?.length === 3 ? (network[1]! << 8) | network[2]! : 0
  return code === 0 ? '' : String(code)
}

/** `id:… sub:… …` of appendix B: each value ends at the next key. Keys in any order and case, some may be missing. */
const readWords = (text: string): Map<string, string> => {
  const found = new Map<string, string>()
  const marks = [...text.slice(0, 400).matchAll(/(?:^|\s)(id|sub|dlvrd|submit date|done date|stat|err|text):/gi)]
  for (const [index, mark] of marks.entries()) {
    const key = mark[1]!.toLowerCase()
    const end = marks[index + 1]?.index ?? text.length
    if (!found.has(key)) found.set(key, text.slice(mark.index + mark[0].length, end).trim())
    if (key === 'text') break
  }
  return found
}

const written: Record<ReceiptState, { code: number; word: string }> = {
  ENROUTE: { code: 1, word: 'ENROUTE' },
  DELIVERED: { code: 2, word: 'DELIVRD' },
  EXPIRED: { code: 3, word: 'EXPIRED' },
  UNDELIVERABLE: { code: 5, word: 'UNDELIV' },
  UNKNOWN: { code: 7, word: 'UNKNOWN' },
  REJECTED: { code: 8, word: 'REJECTD' },
}

interface ReceiptToSend extends Receipt {
  /** In ms. */
  submittedAt: number
  doneAt: number
}

/** For an SMSC: the deliver_sm fields of a receipt. */
export const receiptFields = (receipt: ReceiptToSend): { esmClass: number; shortMessage: Uint8Array; tlvs: Tlvs } => {
  const { code, word } = written[receipt.state]
  const times = `submit date:${minuteOf(receipt.submittedAt)} done date:${minuteOf(receipt.doneAt)}`
  const delivered = receipt.state === 'DELIVERED' ? '001' : '000'
  const error = /^\d{1,3}$/.test(receipt.error) ? receipt.error.padStart(3, '0') : '000'
  const text = `id:${receipt.id} sub:001 dlvrd:${delivered} ${times} stat:${word} err:${error} text:`
  return { esmClass: esm.receipt, shortMessage: Buffer.from(text, 'latin1'), tlvs: { receiptedMessageId: receipt.id, messageState: code } }
}

/** YYMMDDhhmm in UTC. */
const minuteOf = (at: number): string => new Date(at).toISOString().replaceAll(/\D/g, '').slice(2, 12)

/** Some SMSCs write the id of a message in hex in their response and in decimal in the receipt, or vice versa. */
export type IdForm = 'text' | 'hex' | 'decimal'

/** Normalizes an id in either form for comparison. Ids of another form stay unchanged. */
export const plainId = (id: string, form: IdForm): string => {
  if (form === 'hex' && /^[\da-f]{1,64}$/i.test(id)) return BigInt(`0x${id}`).toString()
  if (form === 'decimal' && /^\d{1,64}$/.test(id)) return BigInt(id).toString()
  return id
}

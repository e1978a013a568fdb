/** Type of number and numbering plan with the digits or letters (SMPP 3.4 §5.2.5–5.2.8). */
export interface SmppAddress {
  ton: number
  npi: number
  value: string
}

/** Supported optional parameters; all others are skipped. */
export interface Tlvs {
  sourcePort?: number
  destinationPort?: number
  receiptedMessageId?: string
  messageState?: number
  /** Network type and its error, three octets. */
  networkErrorCode?: Uint8Array
  userMessageReference?: number
  sarReference?: number
  sarTotal?: number
  sarNumber?: number
  /** In place of short_message. */
  messagePayload?: Uint8Array
  additionalStatusText?: string
  scInterfaceVersion?: number
}

interface Head {
  sequence: number
}

export type BindCommand = 'bind_receiver' | 'bind_transmitter' | 'bind_transceiver'

export interface BindFields {
  systemId: string
  password: string
  systemType: string
  interfaceVersion: number
  addressTon: number
  addressNpi: number
  addressRange: string
}

export interface BindRequest extends Head, BindFields {
  command: BindCommand
}

/** Mandatory fields of submit_sm and deliver_sm; data_sm has some of them and the rest is zero. */
export interface MessageFields {
  serviceType: string
  source: SmppAddress
  destination: SmppAddress
  esmClass: number
  protocolId: number
  priority: number
  /** Empty: immediately. */
  scheduleTime: string
  validityPeriod: string
  registeredDelivery: number
  replaceIfPresent: number
  dataCoding: number
  defaultMessageId: number
  /** With its user data header, if esmClass announces one. */
  shortMessage: Uint8Array
  tlvs: Tlvs
}

export type MessageCommand = 'submit_sm' | 'deliver_sm' | 'data_sm'

export interface MessageRequest extends Head, MessageFields {
  command: MessageCommand
}

type PlainCommand = 'unbind' | 'enquire_link'

interface PlainRequest extends Head {
  command: PlainCommand
}

/** Known but unsupported: rejected without parsing their bodies. */
export type RefusedCommand = 'query_sm' | 'cancel_sm' | 'replace_sm' | 'submit_multi'

/** Known and never answered. */
type SilentCommand = 'outbind' | 'alert_notification'

interface BodylessRequest extends Head {
  command: RefusedCommand | SilentCommand
}

export type RequestPdu = BindRequest | MessageRequest | PlainRequest | BodylessRequest

export interface BindResponse extends Head {
  command: `${BindCommand}_resp`
  status: number
  systemId: string
  tlvs: Tlvs
}

export interface MessageResponse extends Head {
  command: `${MessageCommand}_resp`
  status: number
  messageId: string
  tlvs: Tlvs
}

interface PlainResponse extends Head {
  command: `${PlainCommand | RefusedCommand}_resp` | 'generic_nack'
  status: number
}

export type ResponsePdu = BindResponse | MessageResponse | PlainResponse

export type Pdu = RequestPdu | ResponsePdu

export const commandIds = {
  generic_nack: 0x80000000,
  bind_receiver: 0x01,
  bind_receiver_resp: 0x80000001,
  bind_transmitter: 0x02,
  bind_transmitter_resp: 0x80000002,
  query_sm: 0x03,
  query_sm_resp: 0x80000003,
  submit_sm: 0x04,
  submit_sm_resp: 0x80000004,
  deliver_sm: 0x05,
  deliver_sm_resp: 0x80000005,
  unbind: 0x06,
  unbind_resp: 0x80000006,
  replace_sm: 0x07,
  replace_sm_resp: 0x80000007,
  cancel_sm: 0x08,
  cancel_sm_resp: 0x80000008,
  bind_transceiver: 0x09,
  bind_transceiver_resp: 0x80000009,
  outbind: 0x0b,
  enquire_link: 0x15,
  enquire_link_resp: 0x80000015,
  submit_multi: 0x21,
  submit_multi_resp: 0x80000021,
  alert_notification: 0x102,
  data_sm: 0x103,
  data_sm_resp: 0x80000103,
} as const satisfies Record<Pdu['command'], number>

export const commandNames: ReadonlyMap<number, Pdu['command']> = new Map(
  Object.entries(commandIds).map(([name, id]) => [id, name as Pdu['command']]),
)

type Command = Pdu['command']

export const isResponseCommand = (command: Command): command is ResponsePdu['command'] => commandIds[command] >= 0x80000000

export const isResponse = (pdu: Pdu): pdu is ResponsePdu => isResponseCommand(pdu.command)

export const isBind = (command: Command): command is BindCommand =>
  command === 'bind_transceiver' || command === 'bind_transmitter' || command === 'bind_receiver'

export const isBindResponse = (command: Command): command is BindResponse['command'] =>
  command === 'bind_transceiver_resp' || command === 'bind_transmitter_resp' || command === 'bind_receiver_resp'

export const isMessageResponse = (command: Command): command is MessageResponse['command'] =>
  command === 'submit_sm_resp' || command === 'deliver_sm_resp' || command === 'data_sm_resp'

/** Bits of esm_class (§5.2.12). */
export const esm = { userDataHeader: 0x40, receipt: 0x04, typeMask: 0x3c, intermediateNotification: 0x20 } as const

/** A message with defaults for all other fields. */
export const messageFields = (given: Pick<MessageFields, 'source' | 'destination'> & Partial<MessageFields>): MessageFields => ({
  serviceType: '',
  esmClass: 0,
  protocolId: 0,
  priority: 0,
  scheduleTime: '',
  validityPeriod: '',
  registeredDelivery: 0,
  replaceIfPresent: 0,
  dataCoding: 0,
  defaultMessageId: 0,
  shortMessage: new Uint8Array(),
  tlvs: {},
  ...given,
})

/** E.164 with or without plus is international, up to six digits are a network short code, the rest is a name (SMPP 3.4 §5.2.5). */
export const addressOf = (value: string): SmppAddress => {
  if (/^\d{1,6}$/.test(value)) return { ton: 3, npi: 0, value }
  if (/^\+?\d+$/.test(value)) return { ton: 1, npi: 1, value: value.replace('+', '') }
  return { ton: 5, npi: 0, value }
}

/** YYMMDDhhmmsstnnp: tenths, quarter-hours from UTC, and + or - as its sign, or R for a span (SMPP 3.4 §7.1.1). */
const pattern = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d)(\d\d)([+\-R])$/

const quarterMs = 15 * 60_000

/** Parses schedule_delivery_time and validity_period to ms since the epoch; undefined if invalid. */
export const readTime = (value: string, now: number): number | undefined => {
  const found = pattern.exec(value)
  if (!found) return undefined
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0, tenths = 0, quarters = 0] = found.slice(1, 9).map(Number)
  if (found[9] === 'R') {
    const day = new Date(now)
    day.setUTCFullYear(day.getUTCFullYear() + years, day.getUTCMonth() + months, day.getUTCDate() + days)
    return day.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000
  }
  if (months < 1 || months > 12 || days < 1 || days > 31 || hours > 23 || minutes > 59 || seconds > 59 || quarters > 48) return undefined
  // Local time: ahead of UTC the clock shows more.
  const there = Date.UTC(2000 + years, months - 1, days, hours, minutes, seconds, tenths * 100)
  return found[9] === '+' ? there - quarters * quarterMs : there + quarters * quarterMs
}

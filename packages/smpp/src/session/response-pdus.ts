import type { PduHeader } from '../pdu/decode.ts'
import { encodeRefusal } from '../pdu/encode.ts'
import type { BindRequest, BindResponse, MessageRequest, MessageResponse, ResponsePdu } from '../pdu/pdu.ts'

/** SMPP 3.4 */
export const version = 0x34
/** Of our system_id, as the specification has it; the far end may have a longer one. */
const maxNameLength = 15

export const messageResponse = ({ command, sequence }: MessageRequest, status: number, messageId = ''): MessageResponse => ({
  command: `${command}_resp`,
  status,
  sequence,
  messageId,
  tlvs: {},
})

export const bindResponse = ({ command, sequence }: BindRequest, status: number, systemId = ''): BindResponse => ({
  command: `${command}_resp`,
  status,
  sequence,
  systemId: systemId.slice(0, maxNameLength),
  tlvs: { scInterfaceVersion: version },
})

/** To a request that cannot be read. */
export const unreadableResponse = ({ command, sequence }: PduHeader, status: number): Buffer =>
  encodeRefusal(command === undefined ? 'generic_nack' : (`${command}_resp` as ResponsePdu['command']), status, sequence)

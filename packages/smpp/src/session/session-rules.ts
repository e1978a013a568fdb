import type { BindCommand, RefusedCommand, BindRequest, BindResponse, MessageRequest, MessageResponse, ResponsePdu } from '../pdu/pdu.ts'
import type { SmppRole } from './session-options.ts'
import { SmppError, SmppRefused } from '../pdu/smpp-error.ts'
import { status } from '../pdu/status.ts'
import type { PduHeader } from '../pdu/decode.ts'
import { encodeRefusal } from '../pdu/encode.ts'

/** Known but unsupported commands, with their status. */
export const refusals: Record<RefusedCommand, number> = {
  query_sm: status.queryFailed,
  cancel_sm: status.cancelFailed,
  replace_sm: status.replaceFailed,
  submit_multi: status.invalidCommand,
}

/** Our command for messages; undefined if the bind mode does not allow it (SMPP 3.4 §2.3). */
export const sentBy = (role: SmppRole, bound: BindCommand | undefined): 'submit_sm' | 'deliver_sm' | undefined => {
  if (bound === undefined) return undefined
  if (role === 'esme') return bound === 'bind_receiver' ? undefined : 'submit_sm'
  return bound === 'bind_transmitter' ? undefined : 'deliver_sm'
}

/** A field of ours that does not fit counts as rejected by the far end. */
export const refusing = (command: string, encode: () => Buffer): Buffer => {
  try {
    return encode()
  } catch (error) {
    if (error instanceof SmppError) throw new SmppRefused(command, error.status)
    throw error
  }
}

/** SMPP 3.4 */
export const version = 0x34
/** Maximum length of our system_id (SMPP 3.4); the far end's may be longer. */
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

/** Response to an unreadable request. */
export const unreadableResponse = ({ command, sequence }: PduHeader, status: number): Buffer =>
  encodeRefusal(command === undefined ? 'generic_nack' : (`${command}_resp` as ResponsePdu['command']), status, sequence)

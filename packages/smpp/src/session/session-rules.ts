import type { BindCommand, RefusedCommand } from '../pdu/pdu.ts'
import type { SmppRole } from './session-options.ts'
import { SmppError, SmppRefused } from '../pdu/smpp-error.ts'
import { status } from '../pdu/status.ts'

/** Commands that are known and not offered, with their status. */
export const refusals: Record<RefusedCommand, number> = {
  query_sm: status.queryFailed,
  cancel_sm: status.cancelFailed,
  replace_sm: status.replaceFailed,
  submit_multi: status.invalidCommand,
}

/** How this side sends messages; undefined if it may not, as the ESME is bound (SMPP 3.4 §2.3). */
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

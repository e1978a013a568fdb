import type { SavedDialog } from '#core/kernel/ports/telephony.ts'
import type { Session, SessionTrace } from '@offhook/sip/session/session.ts'
import { wayWithoutConnection } from '../phone/binding.ts'

/** What is kept of a leg, so that another process can end it. */
export interface SavedLeg extends SessionTrace {
  /** Whose credentials are used in it. */
  trunkId?: string
}

/** Undefined while it rings at the far end, and when only the phone itself could connect again. */
export const saveLeg = ({ trace }: Session, trunkId: string | undefined): SavedDialog | undefined => {
  const flow = trace?.flow && wayWithoutConnection(trace, trace.flow)
  if (!trace || (trace.flow && !flow)) return undefined
  const saved: SavedLeg = { ...trace, ...(flow && { flow }), ...(trunkId !== undefined && { trunkId }) }
  return { ...saved }
}

/**
 * `dialing`: no phone rings yet. `ringing`: one does. `transferring`: one of two parties is being replaced. `consulting`: one of two
 * waits while the other talks with a third party.
 */
export type CallState = 'dialing' | 'ringing' | 'active' | 'transferring' | 'consulting' | 'ended'
/** `consulted`: there are two parties again, and none was replaced. */
export type CallInput = 'progress' | 'answer' | 'transfer' | 'transferred' | 'transfer_failed' | 'consult' | 'consulted' | 'end'

const moves: Record<CallState, Partial<Record<CallInput, CallState>>> = {
  dialing: { progress: 'ringing', answer: 'active', end: 'ended' },
  ringing: { answer: 'active', end: 'ended' },
  active: { transfer: 'transferring', end: 'ended' },
  transferring: { transferred: 'active', transfer_failed: 'active', consult: 'consulting', end: 'ended' },
  consulting: { transfer: 'transferring', consulted: 'active', end: 'ended' },
  ended: {},
}

/** Undefined when this cannot happen now. */
export const next = (state: CallState, input: CallInput): CallState | undefined => moves[state][input]

import type { Flow } from './store/flows.ts'
import type { Leg } from './telephony.ts'

/** A call as the assistant that takes it sees it. */
export interface FlowCall {
  readonly callId: string
  readonly accountId: string
  readonly direction: 'inbound' | 'outbound'
  /** E.164; undefined when the caller is withheld or unknown. */
  readonly from: string | undefined
  /** E.164 of the number that leads to the flow. */
  readonly to: string
  /** `de` or `en`. */
  readonly language: string
  /** Takes the call; resolves when the caller is there. A call that is not taken goes back to where it came from. */
  answer(): Promise<void>
}

/** What an assistant does on the phone. */
export interface FlowRuntime {
  /** Resolves when the assistant is done or the leg is gone; the leg is hung up then. */
  run(call: FlowCall, leg: Leg, flow: Flow): Promise<void>
}

import type { End, EndReason } from '../call-end.ts'
import type { Flow } from '../store/assistant/flows.ts'
import type { Cause, Leg } from '../telephony.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'

/**
 * Talks with the one who answered, whom the caller neither hears nor is heard by: `accepted` connects the two, anything else is why not.
 * Must be over when the leg is, or the call.
 */
export type Brief = (target: Leg) => Promise<'accepted' | Cause>

export interface FlowTransfer {
  callerName?: string
  callerNumber?: string
  /** The target is a person who accepts first; the caller hears music until then. Without it the caller hears the target ring. */
  brief?: Brief
}

/** A call as the assistant that takes it sees it. */
export interface FlowCall {
  readonly callId: string
  readonly accountId: string
  readonly direction: 'inbound' | 'outbound'
  /** E.164; undefined when the caller is withheld or unknown. Outbound: the flow's own number. */
  readonly from: string | undefined
  /** E.164. Inbound: the number that leads to the flow. Outbound: who is called. */
  readonly to: string
  /** Of the one who ordered the call. */
  readonly trace?: IncomingTrace | undefined
  /** Tries what is being written: the draft of the assistant answers. */
  readonly draft?: boolean
  /** `de` or `en`. */
  readonly language: string
  /** Resolves once, with the one true end of the call. */
  readonly over: Promise<End>
  /** Takes the call; resolves when the caller is there. A call that is not taken goes back to where it came from. Outbound: has happened. */
  answer(): Promise<void>
  /** The first reason given is the true one. */
  hangUp(reason: EndReason): void
  /**
   * Transfers the caller, as if the flow's account called there. `taken`: the two talk, the assistant is out of the call,
   * and its session is over. Otherwise why not: the assistant still has the person.
   */
  transfer(to: string, options: FlowTransfer): Promise<'taken' | Cause>
  /**
   * Told when a user of the account has the caller transferred: the assistant has nothing to say
   * until the outcome is known, which means what it does for `transfer`.
   */
  observeTransfers(heed: (to: string, outcome: Promise<'taken' | Cause>) => void): () => void
  /** `quiet` is called before the call goes to another process: resolves when nothing is being said, and it is written where the session is. */
  beforeHandOver(quiet: () => Promise<void>): void
  /** Both sides, from now on; once. */
  record(): Promise<void>
  /** Told when the caller cannot hear the assistant for a while (hold, an announcement), and when it can again. Gives how to stop it. */
  observe(waits: (value: boolean) => void): () => void
}

/** The assistant was at work in another process. */
export interface FlowBefore {
  /** When that one was alive for the last time. */
  aliveAt: number
}

/** What an assistant does on the phone. */
export interface FlowRuntime {
  /** `before`: goes on with it. Resolves when the assistant is out of the call; unless it was transferred, the call is over then. */
  run(call: FlowCall, leg: Leg, flow: Flow, before?: FlowBefore): Promise<void>
}

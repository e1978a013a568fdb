import { sessionIdOf } from '@offhook/contract/assistant/session.ts'
import type { FlowCall, Handover } from '#core/kernel/ports/assistant.ts'
import type { IncomingCallHandler } from './assistant-party.ts'

/** State for a takeover. */
export interface SavedTrail {
  flows: readonly string[]
  sessions: number
}

/** Data that goes along with a caller, and the call as the next assistant sees it. */
export interface PendingHandover extends Handover, Pick<FlowCall, 'accountId' | 'direction' | 'from' | 'to' | 'correlationId'> {
  /** Resolves when the assistant has left the call. */
  left: Promise<void>
}

/** Assistants of a call. The same one twice without a person in between is a loop. */
export class AssistantTrail {
  #flows: string[] = []
  #sessions = 0
  /** Set while an assistant transfers its caller. */
  handover: PendingHandover | undefined

  get saved(): SavedTrail {
    return { flows: this.#flows, sessions: this.#sessions }
  }

  had(flowId: string): boolean {
    return this.#flows.includes(flowId)
  }

  nextSessionId(callId: string): string {
    return sessionIdOf(callId, this.#sessions + 1)
  }

  answered(handler: IncomingCallHandler): void {
    if (handler.kind === 'phone') this.#flows = []
    this.handover = undefined
    if (handler.kind !== 'assistant') return
    this.#flows.push(handler.assistant.saved.flowId)
    this.#sessions += 1
  }

  resume({ flows, sessions }: SavedTrail): void {
    this.#flows = [...flows]
    this.#sessions = sessions
  }
}

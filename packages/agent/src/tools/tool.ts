import type { Session } from '@offhook/contract/assistant/session.ts'
import type { Answer, SpeechFields } from '@offhook/sdk'
import type { Passage } from '@offhook/contract/v3/knowledge.ts'
import type { ToolDescription } from '../model/messages.ts'

export interface ToolContext {
  signal: AbortSignal
  session: Session
  turn: number
  /** Of this call of the tool. */
  callId: string
  /** Says something at once, as a speech of its own. */
  say: (text: string, fields: SpeechFields) => void
  /** Nobody waits for the assistant any more, but it for the caller. */
  listens: () => void
  /** Resolves when everything has sounded. */
  spoken: () => Promise<void>
}

export interface ToolRun {
  status: 'ok' | 'refused' | 'failed'
  /** For the model. */
  content: unknown
  /** Done when all tools that were called together have run; the assistant's turn is over with it. */
  end?: Answer
  /** As they went over the wire. */
  request?: string
  response?: string
  passages?: readonly Passage[]
}

/** Something that a model may ask for. What it may not is refused here, and where it would be done once more. */
export interface Tool extends ToolDescription {
  /** Said before it is run. */
  beforeText?: string
  /** `args` fit the parameters. */
  run(args: Record<string, unknown>, context: ToolContext): Promise<ToolRun>
}

export const objectOf = (properties: Record<string, unknown>, required: readonly string[] = []): Record<string, unknown> => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

export const refused = (why: string): ToolRun => ({ status: 'refused', content: { error: why } })

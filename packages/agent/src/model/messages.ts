export interface CalledTool {
  id: string
  name: string
  /** As the model wrote it: JSON, or what it took for it. */
  arguments: string
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

export interface ToolDescription {
  name: string
  description: string
  /** JSON Schema of an object. */
  parameters: Record<string, unknown>
}

export interface ChatRequest {
  messages: readonly ChatMessage[]
  tools?: readonly ToolDescription[]
  /** The answer is to be JSON of this schema. */
  schema?: Record<string, unknown>
  maxTokens?: number
}

export interface Usage {
  prompt: number
  completion: number
}

export interface Completion {
  text: string
  calls: CalledTool[]
  finish: string
  usage: Usage
}

/** Four characters are a token, where nobody has counted. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4)

/** Why there is no answer, or only a part of it. */
export class ModelFailure extends Error {
  /** The same model may be asked again; after so many milliseconds, if it says so. */
  readonly again: boolean
  readonly afterMs: number | undefined

  constructor(message: string, again: boolean = false, afterMs?: number) {
    super(message)
    this.name = 'ModelFailure'
    this.again = again
    this.afterMs = afterMs
  }
}

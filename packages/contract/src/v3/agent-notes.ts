import type { Cost } from './results.ts'

/** A looked-up passage and its source. */
export interface Citation {
  documentId: string
  document: string
  heading?: string
  page?: number
  score: number
  /** Start of the passage. */
  text: string
}

interface OfVersion {
  version: number | 'draft'
}

/** Timeline notes of our assistant, by name of the note. Other endpoints choose their own. */
export interface AgentNotes {
  /** At the start; on a menu key; when a limit is reached. */
  assistant: OfVersion & { model?: string; key?: string; does?: string; limit?: string }
  /** One request to a model; bodies truncated to the size of a note. */
  model: OfVersion & {
    model: string
    /** Host of the model's address. */
    server?: string
    attempt: number
    promptTokens: number
    completionTokens: number
    cost?: Cost
    firstTokenMs?: number
    /** Milliseconds until the first words that a voice can say. */
    firstClauseMs?: number
    totalMs?: number
    finish?: string
    error?: string
    request: string
    response: string
  }
  /** One call of a tool; `arguments` as the model wrote them. */
  tool: OfVersion & {
    name: string
    arguments: string
    status: 'ok' | 'refused' | 'failed'
    ms: number
    request?: string
    response?: string
  }
  /** A sentence that claims a deed, and the tool whose success covers it. Without one it was not said. */
  claim: OfVersion & { sentence: string; verdict: 'covered' | 'stopped'; receipt?: string; receiptTurn?: number }
  knowledge: OfVersion & { query: string; passages: readonly Citation[] }
}
export type AgentNote = keyof AgentNotes

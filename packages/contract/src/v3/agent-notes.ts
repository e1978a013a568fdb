import type { Cost } from './results.ts'

/** What was looked up, and where it stands. */
export interface Citation {
  documentId: string
  document: string
  heading?: string
  page?: number
  score: number
  /** How it begins. */
  text: string
}

interface OfVersion {
  version: number | 'draft'
}

/** What the assistant that we ship notes in the timeline, by the name of the note. Other endpoints note what they like. */
export interface AgentNotes {
  /** At the beginning; when a key of the menu was pressed; when a limit was reached. */
  assistant: OfVersion & { model?: string; key?: string; does?: string; limit?: string }
  /** One request to a model; bodies as far as a note can hold them. */
  model: OfVersion & {
    model: string
    attempt: number
    promptTokens: number
    completionTokens: number
    cost?: Cost
    firstTokenMs?: number
    /** Until the first words that a voice can say. */
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
  knowledge: OfVersion & { query: string; passages: readonly Citation[] }
}
export type AgentNote = keyof AgentNotes

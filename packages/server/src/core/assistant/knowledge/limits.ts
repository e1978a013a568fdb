import type { StoredDocument } from '#core/kernel/ports/store/assistant/knowledge.ts'

/** Of a flow. */
export const maxDocuments = 200
export const maxPassages = 20_000

export const countPassages = (documents: readonly StoredDocument[]): number => documents.reduce((sum, { passages }) => sum + passages, 0)

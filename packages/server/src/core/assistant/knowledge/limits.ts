import type { StoredDocument } from '#core/kernel/ports/store/assistant/knowledge.ts'

/** Of a flow. */
export const mostDocuments = 200
export const mostPassages = 20_000

export const countPassages = (documents: readonly StoredDocument[]): number => documents.reduce((sum, { passages }) => sum + passages, 0)

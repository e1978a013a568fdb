import type { TakenMessage, PublishedResult } from '#core/kernel/ports/store/assistant/results.ts'

const maxLength = 20_000

/** Every word of a result that can be looked for, in small letters, as the words of a question are. */
export const searchable = (messages: readonly TakenMessage[], notified: PublishedResult | undefined): string => {
  const said = messages.map(({ name, phone, text }) => [name, phone, text])
  return [...texts(notified), ...texts(said)].join('\n').toLowerCase().slice(0, maxLength)
}

export const searchWords = (question: string): string[] => question.toLowerCase().split(/\s+/).filter(Boolean)

/** Names of fields are no words of the call. */
const texts = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
}

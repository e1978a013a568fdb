import type { TimelineEntry } from '../v2/timeline.ts'

/** Words alone: neither case nor punctuation nor spaces matter. */
export const plain = (text: string): string =>
  (
    text
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(' ')

const withoutMarkup = (ssml: string): string => ssml.replace(/<[^>]*>/g, ' ')

/** Stands for what is not kept. */
const redacted = '•'

interface Spoken {
  type?: string
  text?: string
  ssml?: string
  stream_id?: string
}

/**
 * Whether words that sounded are those of the endpoint, from the beginning of one of its speeches on: what the service says by itself, because
 * an answer is late or nothing was understood, is in no action.
 */
export const ownTextsOf = (entries: readonly TimelineEntry[]): ((text: string) => boolean) => {
  const wanted = new Map<string, string>()
  for (const entry of entries) {
    if (entry.kind !== 'action') continue
    const { type, text, ssml, stream_id: stream } = Object(entry.action) as Spoken
    if (type !== 'speak') continue
    const key = stream ?? String(entry.sequence)
    wanted.set(key, (wanted.get(key) ?? '') + (text ?? withoutMarkup(ssml ?? '')))
  }
  const texts = [...wanted.values()].map(plain)
  return (text) => text.includes(redacted) || texts.some((one) => one.startsWith(plain(withoutMarkup(text))))
}

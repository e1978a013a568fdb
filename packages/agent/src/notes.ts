import { mostNoteBytes } from '@offhook/contract/assistant/actions.ts'
import type { AgentNote, AgentNotes } from '@offhook/contract/v3/agent-notes.ts'
import type { Answer } from '@offhook/sdk'

type Note = Extract<Answer, { type: 'note' }>

const sizeOf = (data: unknown): number => Buffer.byteLength(JSON.stringify(data))

/** Keeps the beginning and a longer end, which holds the latest words. */
const shortened = (text: string, max: number): string =>
  text.length <= max
    ? text
    : `${text.slice(0, Math.floor(max / 4))} … ${text.length - max} left out … ${text.slice(text.length - Math.ceil((max * 3) / 4))}`

/** Shortens long texts until the note fits the timeline. */
export const noteOf = <N extends AgentNote>(name: N, data: AgentNotes[N]): Note => {
  let fitting: object = data
  for (let max = 6_000; sizeOf(fitting) > mostNoteBytes - 100 && max > 10; max = Math.floor(max / 2)) fitting = shorten(data, max)
  return { type: 'note', name, data: fitting }
}

const shorten = (value: object, max: number): object =>
  Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortenOne(one, max)]))

const shortenOne = (value: unknown, max: number): unknown => {
  if (typeof value === 'string') return shortened(value, max)
  if (Array.isArray(value)) return value.slice(0, 20).map((one) => shortenOne(one, Math.floor(max / 4)))
  if (value !== null && typeof value === 'object') return shorten(value, Math.floor(max / 2))
  return value
}

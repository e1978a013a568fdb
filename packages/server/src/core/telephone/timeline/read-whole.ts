import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { findTimeline, isRunning, readPage, type Reader, type TimelineReading } from './read-timeline.ts'

const pageEntries = 1000

/** Everything that happened in a call, as far as the reader may see it, without the bytes that went to and fro. */
export interface WholeTimeline {
  callId: string
  entries: TimelineEntry[]
  running: boolean
}

export const readWhole = async (reading: TimelineReading, reader: Reader, name: string): Promise<WholeTimeline> => {
  const { callId, row } = await findTimeline(reading, reader.caller, name)
  const entries: TimelineEntry[] = []
  for (let more = true; more;) {
    const after = entries.at(-1)?.sequence ?? 0
    const page = await readPage(reading.store, reader, callId, { after, limit: pageEntries })
    for (const entry of page.items) entries.push(withoutBytes(entry))
    more = page.more
  }
  return { callId, entries, running: row ? await isRunning(reading, row) : true }
}

const withoutBytes = (entry: TimelineEntry): TimelineEntry => {
  if (entry.kind === 'message') return { ...entry, body: '' }
  if (entry.kind !== 'attempt') return entry
  const { request: _request, response: _response, ...attempt } = entry
  return attempt
}

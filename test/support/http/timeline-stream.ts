import type { TestContext } from 'node:test'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'

/** Reads an event stream as it arrives. */
export class TimelineStream {
  readonly ids: string[] = []
  readonly entries: TimelineEntry[] = []
  readonly reply: Response
  /** Resolves when the service has ended it. */
  readonly over: Promise<void>
  comments = 0
  #news = Promise.withResolvers<void>()

  constructor(reply: Response) {
    this.reply = reply
    this.over = this.#read()
    this.over.catch(() => {})
  }

  /** Resolves when enough has arrived. */
  async until(enough: () => boolean): Promise<void> {
    while (!enough()) await this.#news.promise
  }

  async #read(): Promise<void> {
    let text = ''
    for await (const piece of this.reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = `${text}${piece}`.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) this.#take(block)
      this.#news.resolve()
      this.#news = Promise.withResolvers()
    }
  }

  #take(block: string): void {
    const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(block) ?? []
    if (id === undefined || data === undefined) return void this.comments++
    this.ids.push(id)
    this.entries.push(JSON.parse(data) as TimelineEntry)
  }
}

/** Resolves when the stream has started. */
export const watchTimeline = async (
  t: TestContext,
  { url }: { url: string },
  token: string,
  query = '',
  headers: Record<string, string> = {},
): Promise<TimelineStream> => {
  const leaving = new AbortController()
  t.after(() => leaving.abort())
  const init = { headers: { authorization: `Bearer ${token}`, ...headers }, signal: leaving.signal }
  const stream = new TimelineStream(await fetch(`${url}/v2/timeline${query}`, init))
  if (stream.reply.ok) await stream.until(() => stream.comments > 0)
  return stream
}

import { followEvents } from '@offhook/sdk/event-stream.ts'
import { useEffect, useEffectEvent, useState } from 'react'
import { fetchAsRole } from './client.ts'

/** `refused`: the service said no, so it is not tried again. */
export type FeedState = 'connecting' | 'live' | 'broken' | 'refused'

/**
 * Follows a stream of events and reconnects when it breaks, telling the service the last event that arrived. What arrives together is
 * handed over together. Undefined as path: nothing to follow.
 */
export const useLiveFeed = <T>(path: string | undefined, onEntries: (entries: T[]) => void): FeedState => {
  const [state, setState] = useState<FeedState>('connecting')
  const take = useEffectEvent((texts: string[]) => onEntries(texts.map((text) => JSON.parse(text) as T)))
  useEffect(() => {
    if (path === undefined) return undefined
    const stop = new AbortController()
    const { signal } = stop
    const batch = new Batch((texts) => take(texts), signal)
    const follow = async (): Promise<void> => {
      for await (const { data } of followEvents({ open: (lastId) => open(path, lastId, signal), signal, onState: setState }))
        batch.add(data)
    }
    follow().catch(() => signal.aborted || setState('refused'))
    return () => stop.abort()
  }, [path])
  return state
}

/** What is broken or busy may get better; a refusal is thrown and ends it. */
const open = async (path: string, lastId: string, signal: AbortSignal): Promise<Response> => {
  const reply = await fetchAsRole(path, {
    headers: { accept: 'text/event-stream', ...(lastId !== '' && { 'last-event-id': lastId }) },
    signal,
  })
  if (!reply.ok && reply.status < 500 && reply.status !== 429) throw new Error(`the stream was refused with ${reply.status}`)
  return reply.ok ? reply : new Response(null)
}

/** Milliseconds. Not the browser's frames: a machine that is too busy to draw would hold back what has long arrived. */
const together = 40

/** Collects what arrives within a moment. */
class Batch {
  #texts: string[] = []
  readonly #hand: (texts: string[]) => void
  readonly #signal: AbortSignal

  constructor(hand: (texts: string[]) => void, signal: AbortSignal) {
    this.#hand = hand
    this.#signal = signal
  }

  add(text: string): void {
    this.#texts.push(text)
    if (this.#texts.length === 1) setTimeout(() => this.#flush(), together)
  }

  #flush(): void {
    const texts = this.#texts
    this.#texts = []
    if (!this.#signal.aborted) this.#hand(texts)
  }
}

import { followEvents } from '@offhook/sdk/event-stream.ts'
import { useEffect, useEffectEvent, useState } from 'react'
import { fetchAsRole } from './client.ts'

/** `refused`: the service rejected it, so it is not retried. */
export type FeedState = 'connecting' | 'live' | 'broken' | 'refused'

/**
 * Follows an event stream and reconnects after the last received event. Batches events that arrive together. Undefined as path: follows
 * nothing.
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

/** Network errors and busy replies are retried; a rejection is thrown and ends it. */
const open = async (path: string, lastId: string, signal: AbortSignal): Promise<Response> => {
  const reply = await fetchAsRole(path, {
    headers: { accept: 'text/event-stream', ...(lastId !== '' && { 'last-event-id': lastId }) },
    signal,
  })
  if (!reply.ok && reply.status < 500 && reply.status !== 429) throw new Error(`the stream was refused with ${reply.status}`)
  return reply.ok ? reply : new Response(null)
}

/** Milliseconds. Independent of animation frames: a machine too busy to draw would delay received events. */
const together = 40

/** Batches entries that arrive within a moment. */
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

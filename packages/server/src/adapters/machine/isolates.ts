import type { Isolate } from '#core/operate/metrics/memory-watch.ts'
import { ownMemory, runningThreads } from '#media/thread/thread.ts'

/** Every thread of this process that runs JavaScript; the main one is the first. */
export const isolates = (): Isolate[] => [
  { thread: 'main', id: 0, ...ownMemory() },
  ...runningThreads().map((thread) => ({ thread: thread.name, id: thread.id, ...thread.memory() })),
]

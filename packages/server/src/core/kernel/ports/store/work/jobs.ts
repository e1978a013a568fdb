import type { DueQueue } from './due-queue.ts'

/** Things of our own that happen at a time: deadlines, expiries, clean-ups. */
export interface Jobs extends DueQueue {
  /** A job with this id is put to the new time. */
  schedule(job: { id: string; kind: string; payload: unknown; dueAt: number }): Promise<void>
  cancel(id: string): Promise<void>
}

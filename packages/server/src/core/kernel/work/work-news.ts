import type { Store, Tables } from '../ports/store/index.ts'
import type { FirstLease, QueueName } from '../ports/store/work/due-queue.ts'
import type { OutboxMessage } from '../ports/store/work/outbox.ts'
import { notingTables, withWrites } from '../watched-writes.ts'
import type { Worker } from './worker.ts'

/** What a transaction put into the outbox or the jobs. */
interface News {
  /** It is committed. */
  written: () => void
  /** It is not, or runs again. */
  undone: () => void
}

/**
 * Tells workers of what this process puts into their tables, as soon as it is committed. A message that is due at once, and that a worker has a
 * hand for, belongs to that worker from the moment it is written: nobody has to look for it. It is made before all that writes there, because
 * the workers are built last: they need what they work with.
 */
export class WorkSignals {
  readonly #workers = new Map<string, Worker>()
  readonly #noting = notingTables<News[]>((tables, news) => this.#noted(tables, news))

  add(...workers: readonly Worker[]): void {
    for (const worker of workers) for (const kind of worker.kinds) this.#workers.set(`${worker.question.queue}/${kind}`, worker)
  }

  /** The same store. */
  watch(store: Store): Store {
    return withWrites(store, async (work, patient) => {
      const news: News[] = []
      const undo = (): void => {
        for (const { undone } of news.splice(0)) undone()
      }
      try {
        const result = await store.write((tables) => {
          undo() // the work may run again
          return work(this.#noting(tables, news))
        }, patient)
        for (const { written } of news.splice(0)) written()
        return result
      } finally {
        undo()
      }
    })
  }

  #workerOf(queue: QueueName, kind: string): Worker | undefined {
    return this.#workers.get(`${queue}/${kind}`)
  }

  #noted(tables: Tables, news: () => News[]): Tables {
    const { jobs, outbox } = tables
    const due = (worker: Worker | undefined, at: number): void => {
      if (worker) news().push({ written: () => worker.expect(at), undone: () => {} })
    }
    const put = async (message: OutboxMessage, write: (lease?: FirstLease) => Promise<boolean>): Promise<boolean> => {
      const { id, kind, payload, at } = message
      const worker = this.#workerOf('outbox', kind)
      const lease = worker?.reserve(at)
      if (!worker || !lease) {
        const isNew = await write()
        due(worker, at)
        return isNew
      }
      const reserved: News = { written: () => worker.unreserve(), undone: () => worker.unreserve() }
      news().push(reserved)
      const isNew = await write(lease)
      // As it would be read.
      const asWritten = JSON.parse(JSON.stringify(payload)) as unknown
      if (isNew) reserved.written = () => worker.take({ id, kind, payload: asWritten, attempts: 1 })
      return isNew
    }
    return {
      ...tables,
      jobs: {
        ...jobs,
        schedule: async (job) => {
          await jobs.schedule(job)
          due(this.#workerOf('job', job.kind), job.dueAt)
        },
      },
      outbox: {
        ...outbox,
        async put(message) {
          await put(message, async (lease) => {
            await outbox.put(message, lease)
            return true
          })
        },
        putOnce: (message) => put(message, (lease) => outbox.putOnce(message, lease)),
        revive: async (id, at) => {
          const revived = await outbox.revive(id, at)
          for (const worker of new Set(this.#workers.values())) if (revived && worker.question.queue === 'outbox') due(worker, at)
          return revived
        },
      },
    }
  }
}

import type { Store, Tables } from '../ports/store/index.ts'
import type { FirstLease, QueueName, OutboxMessage } from '../ports/store/work.ts'
import { notingTables, withWrites } from '../watched-store.ts'
import type { Worker } from './worker.ts'

/** Entries that a transaction put into the outbox or the jobs. */
interface News {
  /** Called after the commit. */
  written: () => void
  /** Called on rollback or retry. */
  undone: () => void
}

/**
 * Notifies workers of entries that this process writes to their tables, right after the commit. A due message for which a worker has a
 * free slot is leased to that worker when written, without a lookup. Created before all writers, because the workers are built last: they
 * need their dependencies.
 */
export class WorkSignals {
  readonly #workers = new Map<string, Worker>()
  readonly #noting = notingTables<News[]>((tables, news) => this.#noted(tables, news))

  add(...workers: readonly Worker[]): void {
    for (const worker of workers) for (const kind of worker.kinds) this.#workers.set(`${worker.question.queue}/${kind}`, worker)
  }

  /** Returns the same store with notifications. */
  watch(store: Store): Store {
    return withWrites(store, async (work, patient) => {
      const news: News[] = []
      const undo = (): void => {
        for (const { undone } of news.splice(0)) undone()
      }
      try {
        const result = await store.write((tables) => {
          undo() // the work may be retried
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
      // Equals the payload as read back.
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
        revive: async (id, at) => {
          const revived = await jobs.revive(id, at)
          for (const worker of new Set(this.#workers.values())) if (revived && worker.question.queue === 'job') due(worker, at)
          return revived
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

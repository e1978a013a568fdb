import { extensionsOf } from '#core/account/history/own-extensions.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call/history.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Sound } from '#core/kernel/ports/telephony.ts'
import { concurrentErase, eraseEntry, recordingIdsOf } from '#core/telephone/recordings/erase-recordings.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

/** More than a user listens to. */
const max = 100

interface Owner {
  accountId: string
  userId: string
}

/** What was spoken to the voicemails of a user's lines and groups. */
export class Mailbox {
  readonly #context: RoutingContext
  readonly #owner: Owner

  constructor(context: RoutingContext, owner: Owner) {
    this.#context = context
    this.#owner = owner
  }

  /** The unheard first, each kind with the newest first. */
  async messages(): Promise<HistoryEntry[]> {
    const { accountId, userId } = this.#owner
    const { read } = this.#context.store
    const connectionIds = (await extensionsOf(read, accountId, userId)).filter((extension) => extension.startsWith('v'))
    const entries = await read.history.list(accountId, { types: ['VOICEMAIL'], connectionIds, archived: false }, { limit: max })
    return entries.toSorted((one, other) => Number(one.read) - Number(other.read))
  }

  /** Undefined when there is nothing to hear any more. */
  async sound(message: HistoryEntry): Promise<Sound | undefined> {
    const { accountId } = this.#owner
    const [id] = recordingIdsOf(message)
    const file = id === undefined ? undefined : await this.#context.recordingFiles.open({ accountId, id })
    if (!file) return undefined
    try {
      return { wav: await file.read(0, file.bytes) }
    } finally {
      await file.close()
    }
  }

  async heard(message: HistoryEntry): Promise<void> {
    const { accountId } = this.#owner
    await this.#write(async (tables, at) => {
      if (!message.read) await tables.history.update(accountId, message.id, { read: true }, at)
      for (const id of recordingIdsOf(message).slice(0, 1))
        await auditByUser(tables, this.#context.clock, this.#owner, 'recording.read', id)
    })
    message.read = true
  }

  async erase(message: HistoryEntry): Promise<void> {
    const files = await this.#write(async (tables) => {
      const erased = await eraseEntry(tables, this.#context.clock, this.#owner.accountId, message)
      for (const { id } of erased) await auditByUser(tables, this.#context.clock, this.#owner, 'recording.erase', id)
      return erased
    })
    await concurrentErase(this.#context.recordingFiles, files)
  }

  #write<T>(work: (tables: Tables, at: number) => Promise<T>): Promise<T> {
    const { store, tasks, clock } = this.#context
    return tasks.track(store.write((tables) => work(tables, clock.now())))
  }
}

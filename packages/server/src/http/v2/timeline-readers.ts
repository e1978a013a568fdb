import { FirstLooks } from '#core/kernel/audit/first-looks.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Reader } from '#core/telephone/timeline/read-timeline.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

/** Who reads timelines: in which language, and that they do is noted. */
export class TimelineReaders {
  readonly #deps: Pick<HandlerDeps, 'store' | 'clock'>
  readonly #looks: FirstLooks

  constructor(deps: Pick<HandlerDeps, 'store' | 'clock'>) {
    this.#deps = deps
    this.#looks = new FirstLooks(deps.clock)
  }

  async of(caller: UserCaller, language: 'de' | 'en' | undefined): Promise<Reader> {
    const { accountId, userId } = caller
    if (language !== undefined) return { caller, locale: language === 'de' ? 'de_DE' : 'en_US' }
    const user = await this.#deps.store.read.users.find(accountId, userId)
    return { caller, locale: user?.locale ?? 'en_US' }
  }

  /** A timeline contains what was said, as a recording does. */
  async note(caller: UserCaller, action: string, target: string): Promise<void> {
    const { store, clock } = this.#deps
    const look = JSON.stringify([caller.accountId, caller.userId, action, target])
    await this.#looks.note(look, () => store.write((tables) => auditByUser(tables, clock, caller, action, target)))
  }
}

import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { SignedLinks, type SignedLinksDeps } from '#core/account/identity/tokens/signed-links.ts'
import { maySee } from '#core/account/history/own-extensions.ts'
import type { HistoryEntry, Paper } from '#core/kernel/ports/store/call/history.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

/** Where one user can fetch what belongs to a fax. */
export class FaxLinks {
  readonly #store: Store
  readonly #links: SignedLinks

  constructor(deps: SignedLinksDeps) {
    this.#store = deps.store
    this.#links = new SignedLinks(deps, 'fax links', 'fax_link_invalid')
  }

  /** Of everything that the entry has, under the names that the history gives it. */
  make(reader: { accountId: string; userId: string }, { id, detail }: HistoryEntry): Partial<Record<`${Paper}Url`, string>> {
    const papers = detail.papers ?? []
    return Object.fromEntries(papers.map((paper) => [`${paper}Url`, this.#links.make(reader, `/v2/faxes/${id}/${paper}`)]))
  }

  /** The user the link was made for, if they may still read the fax. That the file is gone is found out later. */
  identify(address: string): Promise<UserCaller> {
    return this.#links.identify(address, async (reader, path) => {
      const entry = await this.#store.read.history.find(reader.accountId, path.split('/')[3] ?? '')
      return !entry || maySee(this.#store.read, reader, entry.id)
    })
  }
}

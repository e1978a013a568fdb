import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { SignedLinks, type SignedLinksDeps } from '#core/account/identity/tokens/signed-links.ts'
import { maySee } from '#core/account/history/own-extensions.ts'
import type { HistoryEntry, Paper } from '#core/kernel/ports/store/call.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

/** Signed links to the files of a fax for one user. */
export class FaxLinks {
  readonly #store: Store
  readonly #links: SignedLinks

  constructor(deps: SignedLinksDeps) {
    this.#store = deps.store
    this.#links = new SignedLinks(deps, 'fax links', 'fax_link_invalid')
  }

  /** Links to all files of the entry, under their names in the history. */
  make(reader: { accountId: string; userId: string }, { id, detail }: HistoryEntry): Partial<Record<`${Paper}Url`, string>> {
    const papers = detail.papers ?? []
    return Object.fromEntries(papers.map((paper) => [`${paper}Url`, this.#links.make(reader, `/v2/faxes/${id}/${paper}`)]))
  }

  /** Returns the user of the link, if the user may still read the fax. A missing file is detected later. */
  identify(address: string): Promise<UserCaller> {
    return this.#links.identify(address, async (reader, path) => {
      const entry = await this.#store.read.history.find(reader.accountId, path.split('/')[3] ?? '')
      return !entry || maySee(this.#store.read, reader, entry.id)
    })
  }
}

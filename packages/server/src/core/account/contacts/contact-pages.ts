import type { Contact, ContactCursor } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

const pageLength = 200

/** All contacts visible to a user, by name, in pages: an account may have 20,000. `breathe`: resolves in the next turn of the event loop. */
export async function* contactPages(
  { contacts }: Pick<Tables, 'contacts'>,
  { accountId, userId }: { accountId: string; userId: string },
  breathe: () => Promise<void>,
): AsyncGenerator<Contact[]> {
  let after: ContactCursor | undefined
  for (;;) {
    const page = await contacts.listVisible(accountId, userId, { limit: pageLength, ...(after && { after }) })
    if (page.length > 0) yield page
    after = page.at(-1)
    if (page.length < pageLength || !after) return
    await breathe()
  }
}

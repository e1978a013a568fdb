import { setImmediate as breathe } from 'node:timers/promises'
import type { PortingDocument as DocumentElement, portingDocumentOperations } from '@offhook/contract/v1/portings/porting-documents.ts'
import type { Static } from 'typebox'
import { addDocument, openDocument, readPdf, removeDocument, requirePorting, sealDocument } from '#core/account/portings/documents.ts'
import type { PortingDocument } from '#core/kernel/ports/store/number.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-deps.ts'
import { inMemory } from '#http/reply/in-memory.ts'
import type { FileReply } from '#http/reply/send-file.ts'

export const portingDocumentHandlers = ({
  store,
  clock,
  vault,
}: Pick<HandlerDeps, 'store' | 'clock' | 'vault'>): Handlers<typeof portingDocumentOperations> => ({
  listPortingDocuments: async ({ caller: { accountId }, params }) => {
    const portingId = portingIdOf(params.portingId)
    await requirePorting(store.read, accountId, portingId)
    return { items: (await store.read.portingDocuments.list(accountId, portingId)).map(toDocumentElement) }
  },

  addPortingDocument: async ({ caller, params, body: { name, base64Content }, effectId }) => {
    const portingId = portingIdOf(params.portingId)
    await requirePorting(store.read, caller.accountId, portingId) // before validating the file, so that foreign portings answer 404
    const content = await readPdf(base64Content, breathe)
    const contentSealed = await sealDocument(vault, content, breathe)
    const document = { id: effectId, portingId, name, bytes: content.length, contentSealed }
    return toDocumentElement(await store.write((tables) => addDocument(tables, clock, caller, document)))
  },

  getPortingDocument: async ({ caller: { accountId }, params }) => {
    const portingId = portingIdOf(params.portingId)
    await requirePorting(store.read, accountId, portingId)
    return toFile(await openDocument(store.read, vault, accountId, portingId, params.documentId))
  },

  deletePortingDocument: ({ caller, params }) =>
    store.write((tables) => removeDocument(tables, clock, caller, portingIdOf(params.portingId), params.documentId)),
})

export const toDocumentElement = ({ id, name, bytes, addedAt }: PortingDocument): Static<typeof DocumentElement> => ({
  id,
  name,
  bytes,
  addedAt: new Date(addedAt).toISOString(),
})

/** With a file name that is safe in a header. */
export const toFile = ({ id, addedAt, content }: PortingDocument & { content: Buffer }): FileReply => ({
  file: inMemory(content, addedAt),
  name: `${id}.pdf`,
  tag: id,
})

/** Maps an invalid id to 0, which no porting has. */
export const portingIdOf = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : 0)

import { open, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { authorizationOf, refusal } from '@offhook/sdk/client-of.ts'
import { inWords, type Connection } from './connection/connection.ts'
import { connectFor, subjectOf, type SubjectOptions } from './privacy/subject.ts'
import { Mistake } from './terminal/mistake.ts'

export interface ExportDataOptions extends SubjectOptions {
  output?: string
}

const pollMs = 500

/** Writes all stored data of a subject to an archive. */
export const exportData = async (type: string, id: string | undefined, options: ExportDataOptions): Promise<void> => {
  const { account: accountId, output } = options
  const subject = subjectOf(type, id)
  const connection = await connectFor(options)
  const { api, baseUrl } = connection
  try {
    const begun =
      accountId === undefined ? await api.createDataExport({}, { subject }) : await api.createAccountExport({}, { accountId, subject })
    const target = { exportId: begun.id }
    const look = () => (accountId === undefined ? api.getDataExport(target) : api.readAccountExport(target))
    let found = begun
    for (; found.state === 'PENDING' || found.state === 'BUILDING'; found = await look()) await sleep(pollMs)
    if (found.state === 'FAILED') throw new Mistake(1, 'The export failed; the log of the service says why.')
    const file = output ?? `export-${begun.requestedAt.slice(0, 10)}-${begun.reference.slice(0, 8)}.tar`
    await download(connection, `${accountId === undefined ? '/v1' : '/operator/v1'}/privacy/exports/${begun.id}/archive`, file)
    console.log(file)
  } catch (error) {
    throw inWords(error, baseUrl)
  }
}

/** Streamed: an archive may be larger than the memory. */
const download = async ({ baseUrl, token }: Connection, path: string, file: string): Promise<void> => {
  const target = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new Mistake(1, `${file} is there already. Name another one: -o`)
    throw new Mistake(1, `${file} cannot be written: ${error.message}`)
  })
  try {
    const reply = await fetch(baseUrl + path, { headers: { authorization: authorizationOf(token) } })
    if (!reply.ok) throw await refusal(reply)
    for await (const piece of reply.body ?? []) await target.writeFile(piece)
    await target.close()
  } catch (error) {
    await target.close().catch(() => {})
    await rm(file, { force: true })
    throw error
  }
}

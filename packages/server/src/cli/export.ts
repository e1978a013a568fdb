import { writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import { readSnapshot } from './apply/account-snapshot.ts'
import { openSession } from './apply/session.ts'
import { inWords, type ConnectionOptions } from './connection/connection.ts'
import { Mistake } from './terminal/mistake.ts'

export interface ExportOptions extends ConnectionOptions {
  output?: string
}

/** Writes an account as a file for `offhook apply`, without secrets. */
export const exportAccount = async ({ output, ...options }: ExportOptions): Promise<void> => {
  const { api, baseUrl } = await openSession(options, undefined, undefined)
  if (!api) throw new Error('a session of a user has a client')
  try {
    const { file, references } = await readSnapshot(api)
    references.requireUnique()
    const text = stringify(file, { lineWidth: 120, aliasDuplicateObjects: false })
    if (output === undefined) process.stdout.write(text)
    else await writeFile(output, text, { mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === 'open')
      throw new Mistake(1, `${output} cannot be written: ${(error as Error).message}`)
    throw inWords(error, baseUrl)
  }
}
